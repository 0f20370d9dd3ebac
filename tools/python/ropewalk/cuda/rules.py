"""What is known of PyTorch's functions by their names."""

import math

import torch

# They give memory that nobody has written.
EMPTY = {
    torch.empty, torch.empty_like, torch.empty_strided, torch.empty_permuted, torch.Tensor.new_empty,
    torch.Tensor.new_empty_strided
}

_SIZES_ALONE = {torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn}
_SIZES_OF_ANOTHER = {torch.empty_like, torch.zeros_like, torch.ones_like, torch.rand_like, torch.randn_like, torch.full_like}
_NEW_SIZES = {torch.Tensor.new_empty, torch.Tensor.new_zeros, torch.Tensor.new_ones}
_SIZES_FIRST = {torch.full, torch.Tensor.new_full, torch.empty_strided, torch.Tensor.new_empty_strided, torch.empty_permuted}
SIZED = _SIZES_ALONE | _SIZES_OF_ANOTHER | _NEW_SIZES | _SIZES_FIRST


def size_made(function, arguments, options):
    """Of a SIZED function: the elements and their type, or None where they are not seen."""
    tensor = arguments[0] if arguments and isinstance(arguments[0], torch.Tensor) else None
    dtype = options.get("dtype") or (tensor.dtype if tensor is not None else torch.get_default_dtype())
    if function in _SIZES_OF_ANOTHER:
        return None if tensor is None else (tensor.numel(), dtype)
    given = arguments if tensor is None else arguments[1:]
    first = len(given) == 1 or (given and function in _SIZES_FIRST)
    sizes = options.get("size", given[0] if first else given)
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    known = isinstance(sizes, (tuple, list)) and all(isinstance(size, int) for size in sizes)
    return (math.prod(sizes), dtype) if known else None

# Their tensors must be on one device; a CPU tensor without dimensions goes with any. Others are not asked: many take sizes,
# lengths or indices of the CPU.
_ELEMENTWISE = """
add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow rsub maximum minimum fmax fmin atan2
eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor and or xor truediv floordiv mod
lerp addcmul addcdiv where hypot logaddexp logaddexp2 copysign nextafter xlogy clamp clip arctan2 float_power gcd lcm heaviside
ldexp igamma igammac bitwise_left_shift bitwise_right_shift special_xlogy special_xlog1py special_zeta
""".split()
_ALIKE = """
equal matmul mm bmm mv dot inner outer addmm addmv addbmm baddbmm einsum linear bilinear cat concat concatenate stack hstack vstack
dstack embedding layer_norm group_norm instance_norm batch_norm rms_norm conv1d conv2d conv3d
conv_transpose1d conv_transpose2d conv_transpose3d scaled_dot_product_attention cross_entropy nll_loss mse_loss l1_loss
smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div gather scatter scatter_add index_select
isclose allclose masked_scatter masked_fill masked_select put index_copy
index_add take take_along_dim scatter_reduce tensordot cdist cross isin searchsorted grid_sample prelu bucketize
repeat_interleave multi_head_attention_forward _foreach_add _foreach_sub _foreach_mul _foreach_div _foreach_lerp
_foreach_addcmul _foreach_addcdiv lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell
addr ger vdot kron chain_matmul linalg_multi_dot linalg_vecdot linalg_cross linalg_solve linalg_solve_ex linalg_lstsq
linalg_solve_triangular linalg_lu_solve linalg_ldl_solve linalg_tensorsolve linalg_householder_product cholesky_solve lu_solve
triangular_solve ormqr orgqr stft istft complex polar trapezoid trapz cumulative_trapezoid dist pairwise_distance
cosine_similarity cosine_embedding_loss triplet_margin_loss margin_ranking_loss poisson_nll_loss soft_margin_loss
multi_margin_loss multilabel_margin_loss embedding_bag index_reduce segment_reduce max_unpool1d max_unpool2d max_unpool3d
bincount column_stack row_stack normal linalg_matmul _sparse_mm _sparse_addmm sparse_sampled_addmm smm hspmm sspaddmm
""".split()


def _forms(names):
    return frozenset(form for name in names for form in (name, name + "_", f"__{name}__", f"__r{name}__", f"__i{name}__"))


ELEMENTWISE = _forms(_ELEMENTWISE)
ONE_DEVICE = ELEMENTWISE | _forms(_ALIKE)

# Arguments that are numbers, by function, and where they stand. A tensor without dimensions may stand for one: it is read.
NUMBERS = {form: places for names, places in {
    "add sub subtract rsub index_add _foreach_add _foreach_sub": {"alpha": None},
    "addmm addmv addbmm baddbmm addr": {"alpha": None, "beta": None},
    "addcmul addcdiv": {"value": None},
    "full full_like": {"fill_value": 1},
    "new_full": {"fill_value": 2},
    "arange range": {"start": 0, "end": 1, "step": 2},
    "linspace logspace": {"start": 0, "end": 1},
}.items() for form in _forms(names.split())}

WHOLE = frozenset([torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])

# They are made of products, which CUDA has for no whole numbers.
PRODUCTS = _forms("""
matmul mm bmm mv dot vdot inner addmm addmv addbmm baddbmm linear bilinear tensordot einsum matrix_power multi_dot chain_matmul
linalg_matrix_power linalg_multi_dot
""".split())

_NOT_WRITES = frozenset("""
requires_grad_ detach_ squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_ as_strided_ resize_ resize_as_ rename_ set_
share_memory_ retain_grad_ sparse_resize_ unbind_
""".split())
# Of those whose names end so, the ones that use what they write over.
READ_AND_WRITE = frozenset("add_ sub_ mul_ div_ lerp_ addcmul_ addcdiv_".split())
_INPLACE = frozenset(f"__i{name}__" for name in
                     "add sub mul div truediv floordiv mod pow and or xor lshift rshift matmul".split())

READ_AND_WRITE |= _INPLACE


def written_by(function, arguments, options):
    """The arguments that the function writes all elements of: a list."""
    name = getattr(function, "__name__", "")
    found = [options["out"]] if options.get("out") is not None else []
    if (name[-1:] == "_" and name[-2:] != "__" and name not in _NOT_WRITES) or name in _INPLACE:
        # Functions of torch.nn.init hand their tensor on by name.
        found.append(arguments[0] if arguments else next((one for one in options.values() if isinstance(one, torch.Tensor)), None))
    return [tensor for one in found for tensor in (one if isinstance(one, (tuple, list)) else (one,))
            if isinstance(tensor, torch.Tensor)]
