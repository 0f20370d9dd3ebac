"""Parts of layers that CUDA has operators for: normalization over the batches of several devices (nn.SyncBatchNorm), dropout,
cuDNN's convolutions."""

import torch

from .gpu_operators import kernel


def _wide(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _others(tensor):
    """All dimensions but that of the channels."""
    return [0, *range(2, tensor.dim())]


def _along(values, tensor):
    """One value for each channel, to be used with the tensor."""
    return values.view(1, -1, *[1] * (tensor.dim() - 2))


@kernel("batch_norm_stats")
def _statistics(tensor, eps):
    """The mean and one over the deviation."""
    variance, mean = torch.var_mean(_wide(tensor), _others(tensor), correction=0)
    return mean, (variance + eps).rsqrt()


@kernel("batch_norm_elemt")
def _normalized(tensor, weight, bias, mean, inverse, eps):
    result = (_wide(tensor) - _along(mean, tensor)) * _along(inverse, tensor)
    if weight is not None:
        result = result * _along(weight, tensor)
    if bias is not None:
        result = result + _along(bias, tensor)
    return result.to(tensor.dtype)


@kernel("batch_norm_gather_stats")
def _gathered(tensor, mean, inverse, running_mean, running_var, momentum, eps, count):
    return _gathered_of_counts(tensor, mean, inverse, running_mean, running_var, momentum, eps, mean.new_full(mean.shape[:1], count))


@kernel("batch_norm_gather_stats_with_counts")
def _gathered_of_counts(tensor, mean, inverse, running_mean, running_var, momentum, eps, counts):
    """mean, inverse: a row for each device. counts: its elements of a channel."""
    count = counts.to(mean.dtype)[:, None]
    total = count.sum()
    whole = (count * mean).sum(0) / total
    squares = (count * (inverse**-2 - eps + (mean - whole)**2)).sum(0)
    for running, value in ((running_mean, whole), (running_var, squares / (total - 1))):
        if running is not None:
            running.mul_(1 - momentum).add_(momentum * value.to(running.dtype))
    return whole, (squares / total + eps).rsqrt()


@kernel("batch_norm_backward_reduce")
def _sums_of_backward(gradient, tensor, mean, inverse, weight, of_input, of_weight, of_bias):
    wide = _wide(gradient)
    total = wide.sum(_others(tensor))
    product = (wide * (_wide(tensor) - _along(mean, tensor))).sum(_others(tensor))
    dtype = total.dtype if weight is None else weight.dtype
    none = total.new_empty(0)
    return (total if of_input else none, product if of_input else none,
            (product * inverse).to(dtype) if of_weight else none, total.to(dtype) if of_bias else none)


@kernel("batch_norm_backward_elemt")
def _gradient_of_normalized(gradient, tensor, mean, inverse, weight, total, product, count):
    elements = count.sum()
    centred = (_wide(tensor) - _along(mean, tensor)) * _along(inverse**2 * product / elements, tensor)
    factor = inverse if weight is None else inverse * weight
    return ((_wide(gradient) - _along(total / elements, tensor) - centred) * _along(factor, tensor)).to(tensor.dtype)


@kernel("_fused_dropout")
def _dropped(tensor, p, generator=None):
    """p: the share that is kept."""
    mask = torch.empty(tensor.shape).bernoulli_(p, generator=generator)
    return (tensor * mask / p).to(tensor.dtype), mask.to(torch.uint8)


@kernel("_masked_scale")
def _masked_and_scaled(tensor, mask, scale):
    return (tensor * mask * scale).to(tensor.dtype)


@kernel("cudnn_convolution")
def _convolved(tensor, weight, padding, stride, dilation, groups, benchmark, deterministic, allow_tf32):
    return torch.ops.aten.convolution(tensor, weight, None, stride, padding, dilation, False, [0] * len(padding), groups)


@kernel("cudnn_convolution_transpose")
def _convolved_transposed(tensor, weight, padding, output_padding, stride, dilation, groups, benchmark, deterministic, allow_tf32):
    return torch.ops.aten.convolution(tensor, weight, None, stride, padding, dilation, True, output_padding, groups)


@kernel("cudnn_convolution_relu")
def _convolved_and_relu(tensor, weight, bias, stride, padding, dilation, groups):
    return torch.ops.aten.convolution(tensor, weight, bias, stride, padding, dilation, False, [0] * len(padding), groups).relu()


@kernel("cudnn_convolution_add_relu")
def _convolved_added_and_relu(tensor, weight, added, alpha, bias, stride, padding, dilation, groups):
    result = torch.ops.aten.convolution(tensor, weight, bias, stride, padding, dilation, False, [0] * len(padding), groups)
    return (result + (1 if alpha is None else alpha) * added).relu()
