"""What CUDA's kernels have not, and the CPU's have: refused in the words of PyTorch's CUDA kernels."""

import re

import torch

from . import rules

_UNSIGNED = frozenset([torch.uint16, torch.uint32, torch.uint64])
FLOAT8 = frozenset(getattr(torch, name) for name in dir(torch) if name.startswith("float8_"))
RARE = _UNSIGNED | FLOAT8


def _forms(table):
    """By the names of functions: the operator of Python and what works in place too."""
    return {form: kernel for names, kernel in table.items() for name in names.split()
            for form in (name, name + "_", f"__{name}__", f"__r{name}__", f"__i{name}__")}


_OF_NUMBERS = _forms({
    "add sub subtract rsub": "ufunc_add_CUDA", "mul multiply": "mul_cuda", "floor_divide floordiv": "div_floor_cuda",
    "remainder mod": "remainder_cuda", "pow": "pow_cuda", "lt gt le ge less greater less_equal greater_equal": "compare_cuda",
    "neg negative": "neg_cuda", "abs absolute": "abs_cuda", "sign": "sign_cuda", "argmax": "argmax_cuda", "argmin": "argmin_cuda",
    "sort argsort": "sortKeyValueInplace", "topk": "topk_out_cuda", "amax": "max_values_cuda", "amin": "min_values_cuda",
    "clamp clip": "clamp_scalar_cuda", "maximum": "max_elementwise_cuda", "minimum": "min_elementwise_cuda",
})
_KERNELS = {
    _UNSIGNED: _OF_NUMBERS | _forms({
        "bitwise_and and": "bitwise_and_cuda", "bitwise_or or": "bitwise_or_cuda", "bitwise_xor xor": "bitwise_xor_cuda",
        "bitwise_not invert": "bitwise_not_cuda", "bitwise_left_shift lshift": "lshift_cuda",
        "bitwise_right_shift rshift": "rshift_cuda",
        "any": "or_cuda", "all": "and_cuda", "roll": "roll_cuda", "bincount": "bincount_cuda", "nonzero": "nonzero_cuda",
        "index_put": "index_put",
    }),
    FLOAT8: _OF_NUMBERS | _forms({
        "sum": "sum_cuda", "cumsum": "cumsum_cuda", "exp": "exp_cuda", "relu": "clamp_scalar_cuda", "index_add": "index_add",
        "masked_fill": "masked_fill_", "mm matmul linear addmm": "addmm_cuda", "bmm baddbmm": "baddbmm_cuda",
    }),
}
_CONVOLUTIONS = frozenset("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d".split())
_POOLS = {
    "avg_pool1d": "avg_pool2d_out_cuda_frame", "avg_pool2d": "avg_pool2d_out_cuda_frame",
    "max_pool1d": "max_pool2d_with_indices_out_cuda_frame", "max_pool2d": "max_pool2d_with_indices_out_cuda_frame",
}
NAMED = frozenset([*_KERNELS[_UNSIGNED], *_KERNELS[FLOAT8], *_CONVOLUTIONS, *_POOLS])

_REFUSED = re.compile("^\"(\\w+)\" not implemented for '(\\w+)'$")
_WORDS_OF_CUDA = {
    "add_stub": "ufunc_add_CUDA", "softmax_lastdim_kernel_impl": "host_softmax", "softmax_kernel_impl": "host_softmax",
    "cholesky_cpu": "cholesky_cusolver", "linalg_svd_cpu": "svd_cuda_gesvdjBatched", "lu_cpu": "lu_factor_cusolver",
    "cdist": "cdist_cuda", "addmm_impl_cpu_": "addmm_cuda", "max_all": "max_all_cuda", "min_all": "min_all_cuda",
}


def expect_kernel(name, arguments):
    """Of a function among NAMED whose first argument is a tensor on a device."""
    dtype = arguments[0].dtype
    if dtype in RARE:
        for types, kernels in _KERNELS.items():
            if dtype in types and name in kernels and _computed_in(arguments, types):
                raise _not_implemented(kernels[name], dtype)
    elif dtype in rules.WHOLE:
        if name in _CONVOLUTIONS:
            raise RuntimeError(f"getCudnnDataTypeFromScalarType() not supported for {name_of(dtype)}")
        if name in _POOLS:
            raise _not_implemented(_POOLS[name], dtype)


def _computed_in(arguments, types):
    """Numbers of two types are computed in a common one."""
    second = arguments[1] if len(arguments) > 1 else None
    return not isinstance(second, (torch.Tensor, float)) or torch.result_type(arguments[0], second) in types


def _not_implemented(kernel, dtype):
    return NotImplementedError(f"\"{kernel}\" not implemented for '{name_of(dtype)}'")


def name_of(dtype):
    """PyTorch's own name of a type."""
    return _NAMES.get(dtype) or torch.empty(0, dtype=dtype, device="cpu").type().removeprefix("torch.").removesuffix("Tensor")


_NAMES = {torch.uint16: "UInt16", torch.uint32: "UInt32", torch.uint64: "UInt64", torch.float16: "Half", torch.bfloat16: "BFloat16",
          torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long",
          **{dtype: str(dtype).removeprefix("torch.").capitalize() for dtype in FLOAT8}}


def as_of_cuda(error):
    """The error of a CPU's kernel, as the one of CUDA has it."""
    found = _REFUSED.match(str(error))
    if not found or not isinstance(error, NotImplementedError):
        return error
    kernel = _WORDS_OF_CUDA.get(found[1]) or re.sub("_cpu$", "_cuda", found[1])
    return NotImplementedError(f"\"{kernel}\" not implemented for '{found[2]}'")
