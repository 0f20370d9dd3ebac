"""Gradients that a program gives are where its tensors are."""

import torch

from . import marks
from .mode import ordinary, special


def _device_of(tensor):
    mark = marks.mark_of(tensor)
    return mark.device if mark else tensor.device


def expect_there(tensors, gradients):
    """Raises as PyTorch does. A gradient without dimensions may be anywhere."""
    if gradients is None:
        return
    tensors, gradients = ((one,) if isinstance(one, torch.Tensor) else one for one in (tensors, gradients))
    for index, (tensor, gradient) in enumerate(zip(tensors, gradients)):
        if isinstance(tensor, torch.Tensor) and isinstance(gradient, torch.Tensor) and not _goes_with_any(gradient):
            here, there = _device_of(tensor), _device_of(gradient)
            if here != there:
                raise RuntimeError(f"invalid gradient at index {index} - expected device {here} but got {there}")


def _goes_with_any(gradient):
    """Nor is it known where one is that a transform of torch.func made."""
    return gradient.dim() == 0 or torch._C._functorch.is_functorch_wrapped_tensor(gradient)


@special(torch.autograd.grad)
def _grad(function, arguments, options):
    given = dict(zip(("outputs", "inputs", "grad_outputs"), arguments)) | options
    expect_there(given["outputs"], given.get("grad_outputs"))
    return ordinary(function, arguments, options)


@special(torch.Tensor.grad.__set__)
def _set_gradient(function, arguments, options):
    """A gradient that is given is where its tensor is."""
    tensor, gradient = arguments
    if gradient is not None and gradient.dtype == tensor.dtype:  # PyTorch looks at types first
        here, there = _device_of(tensor), _device_of(gradient)
        if here.type != there.type:
            raise RuntimeError(f"attempting to assign a gradient with device type '{there.type}' to a tensor with device type "
                               f"'{here.type}'. Please ensure that the gradient and the tensor are on the same device")
        if here != there:
            raise RuntimeError(f"attempting to assign a gradient located on device with index '{there.index}' to a tensor located "
                               f"on device with index '{here.index}'. Please ensure that the gradient and the tensor are on the "
                               "same device")
    return ordinary(function, arguments, options)
