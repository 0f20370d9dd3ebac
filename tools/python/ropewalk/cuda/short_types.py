"""Operators that CUDA has for a type, and the CPU has not: they are computed in a wider type, and rounded."""

import re

import torch

from . import marks, refusals, rules

_WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
_SHORT = "'?(Half|BFloat16|ComplexHalf)"
_REFUSED = re.compile(f"not implemented for {_SHORT}|[Uu]nsupported dtype {_SHORT}|support tensors of type: {_SHORT}")
_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
# CUDA refuses them too.
_IN_LINEAR_ALGEBRA = re.compile("linalg_|cholesky|qr$|svd|eig|inverse|det$|lu_|lstsq|solve|cdist|pdist|histc|ctc_loss|polar")
_SCATTERED = re.compile("\"scatter_gather_tensor_cpu\" not implemented for 'Float8")
_HISTOGRAM = re.compile(r"\"histogram_cpu\" not implemented for")


def result_of(function, arguments, options):
    """What the function returns."""
    try:
        return function(*arguments, **options)
    except (NotImplementedError, RuntimeError) as error:
        if _SCATTERED.search(str(error)):
            return _as_bytes(function, arguments, options)
        wider = _wider_types(function, options, str(error))
        if wider is _WIDER and "fft" in getattr(function, "__name__", ""):
            _expect_powers_of_two(function.__name__, arguments, options)
        if not wider:
            refused = refusals.as_of_cuda(error)
            if refused is error:
                raise
            raise refused from None
        refused = error
    used = {wider[one.dtype]: one.dtype for one in marks.tensors_in(arguments, options) if one.dtype in wider}
    if wider is _WIDER:  # a Fourier transform makes complex numbers of real ones, or real ones of complex ones
        used = {torch.complex64: torch.complex32, torch.float32: torch.float16, **used}
    try:
        result = function(*_cast(arguments, wider), **_cast(options, wider))
    except (NotImplementedError, RuntimeError):
        raise refused from None
    return _cast(result, used)


def _as_bytes(function, arguments, options):
    """Elements of one byte are moved as such."""
    result = function(*_viewed(arguments), **_viewed(options))
    return arguments[0] if function.__name__.endswith("_") else result.view(arguments[0].dtype)


def _viewed(values):
    return torch.utils._pytree.tree_map_only(torch.Tensor, lambda one: one.view(torch.uint8) if one.dtype in refusals.FLOAT8 else one,
                                             values)


def _expect_powers_of_two(name, arguments, options):
    """cuFFT computes no others in float16."""
    tensor, given = arguments[0], options.get("s", options.get("n", arguments[1] if len(arguments) > 1 else None))
    if given is not None:
        sizes = [given] if isinstance(given, int) else list(given)
    elif name.endswith("n"):
        sizes = [tensor.shape[dim] for dim in options.get("dim") or range(tensor.dim())]
    else:
        where = options.get("dim", (-2, -1) if name.endswith("2") else -1)
        sizes = [tensor.shape[dim] for dim in ([where] if isinstance(where, int) else where)]
    if given is None and name.removeprefix("fft_").startswith(("irfft", "hfft")) and sizes:
        sizes[-1] = 2 * (sizes[-1] - 1)
    if any(size & (size - 1) for size in sizes):
        raise RuntimeError("cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a "
                           f"signal size of{sizes}")


def _wider_types(function, options, message):
    """What is to be cast, to try once more; none: nothing."""
    name = getattr(function, "__name__", "")
    if name.endswith("_") or "out" in options or "dtype" in options:
        return {}
    if _HISTOGRAM.search(message):
        return dict.fromkeys(rules.WHOLE, torch.float64)
    if name == "isin":
        return dict.fromkeys(_UNSIGNED, torch.int64)
    if "fft" in name and "BFloat16" in message:
        return {}
    return _WIDER if _REFUSED.search(message) and not _IN_LINEAR_ALGEBRA.search(name) else {}


def _cast(values, types):
    return torch.utils._pytree.tree_map(
        lambda one: one.to(types[one.dtype]) if isinstance(one, torch.Tensor) and one.dtype in types else one, values)
