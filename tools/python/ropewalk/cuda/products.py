"""Products of whole numbers: CUDA has none, and says so of the operator that its other operators are made of."""

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from . import refusals, rules

# The words of PyTorch's kernels (aten/src/ATen/native/cuda/Blas.cpp), by operator.
_KERNELS = {
    torch.ops.aten.dot: "dot", torch.ops.aten.vdot: "dot",
    torch.ops.aten.mv: "addmv_impl_cuda", torch.ops.aten.addmv: "addmv_impl_cuda", torch.ops.aten.addmv_: "addmv_impl_cuda",
    torch.ops.aten.mm: "addmm_cuda", torch.ops.aten.addmm: "addmm_cuda", torch.ops.aten.addmm_: "addmm_cuda",
    torch.ops.aten.addbmm: "addmm_cuda", torch.ops.aten.addbmm_: "addmm_cuda",
    torch.ops.aten.bmm: "baddbmm_cuda", torch.ops.aten._trilinear: "baddbmm_cuda",
    torch.ops.aten.baddbmm: "baddbmm_cuda", torch.ops.aten.baddbmm_: "baddbmm_cuda",
}
_TYPES = rules.WHOLE | {torch.uint16, torch.uint32, torch.uint64}


def expect_no_whole_numbers(function, arguments, options):
    """Raises as on a GPU, where the function comes to a product of whole numbers. Shapes and types are looked at before."""
    if _begins_with_whole_numbers(arguments) or (options and _begins_with_whole_numbers(options.values())):
        arguments, options = _pytree.tree_map_only(torch.Tensor, _apart, (arguments, options))
        with _Refusing():
            function(*arguments, **options)


def _begins_with_whole_numbers(values):
    """Of the first tensor: PyTorch refuses others of other types."""
    for one in values:
        if isinstance(one, (tuple, list)) and one:
            one = one[0]
        if isinstance(one, torch.Tensor):
            return one.dtype in _TYPES
    return False


def _apart(tensor):
    """What is written by the trial is thrown away."""
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")


class _Refusing(TorchDispatchMode):

    def __torch_dispatch__(self, operator, types, arguments=(), options=None):
        result = operator(*arguments, **(options or {}))
        kernel = _KERNELS.get(operator.overloadpacket)
        if kernel is not None and result.numel() and _is_multiplied(operator, arguments):
            types = {one.dtype for one in arguments if isinstance(one, torch.Tensor)}
            if len(types) == 1 and types <= _TYPES:
                raise NotImplementedError(f'"{kernel}" not implemented for \'{refusals.name_of(types.pop())}\'')
        return result


def _is_multiplied(operator, arguments):
    """A product with a matrix over nothing is all zeros, and no kernel runs."""
    return "dot" in operator.overloadpacket.__name__ or all(one.numel() for one in arguments if isinstance(one, torch.Tensor))
