"""Operators that PyTorch has for CUDA and not for the CPU: what they compute, in terms of others. They stand in the place of the
CPU's, and refuse tensors that are on no device."""

import functools

import torch

from . import marks, mode

_KERNELS = {}  # by name in the dispatcher


def kernel(*names):
    """Of what is decorated: it computes these operators, given all their arguments by position or by name."""

    def register(function):
        for name in names:
            _KERNELS[name] = function
        return function

    return register


def install(patches):
    library = torch.library.Library("aten", "IMPL", "CPU")
    patches.when_restored(library._destroy)
    for name, function in _KERNELS.items():
        if _is_missing(f"aten::{name}"):
            library.impl(name, _on_device(name, function))


def _is_missing(name):
    """This version of PyTorch has the operator, and the CPU has it not."""
    try:
        return not any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
                       for key in ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd"))
    except RuntimeError:
        return False


def _on_device(name, function):

    @functools.wraps(function)
    def compute(*arguments, **options):
        device = mode.device_of_backward()
        if mode.device_under_way() is None and device is None:
            raise NotImplementedError(f"Could not run 'aten::{name}' with arguments from the 'CPU' backend.")
        with torch._C.DisableTorchFunction():
            if device is not None:
                marks.put_all([*arguments, *options.values()], device)
            return function(*arguments, **options)

    return compute
