"""Autocast of `cuda`: what PyTorch's CUDA operators cast to, done to the CPU tensors that stand for device tensors.

PyTorch's dispatcher has a key for it, whose own kernels cast no CPU tensors. Ours stand in their place while the virtual
devices are there, and a function on a virtual device is called with that key (`of_function`). The lists of operators are
those of "CUDA Op-Specific Behavior" in the documentation of torch.amp, by their names in the dispatcher. Of these, the
installed version of PyTorch may cast fewer: 2.11 does not cast rms_norm, 2.15 does."""

import contextlib
import threading

import torch

from . import marks

_KEY = torch._C.DispatchKey.AutocastCUDA
_KEYS = torch._C.DispatchKeySet(_KEY)
_NOTHING = contextlib.nullcontext()

_LOWER = """
_convolution _convolution.deprecated conv1d conv2d conv3d conv_tbc conv_transpose1d
conv_transpose2d.input conv_transpose3d.input convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm
baddbmm bmm chain_matmul linalg_multi_dot lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention
""".split()
_RECURRENT = "lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data rnn_relu.input rnn_relu.data".split()
_FLOAT32 = """
acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar
softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity
poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss
margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss
binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp upsample_nearest1d _upsample_nearest_exact1d
upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d
_upsample_bilinear2d_aa upsample_trilinear3d upsample_bicubic2d _upsample_bicubic2d_aa norm.Scalar norm.ScalarOpt_dim
""".split()
# They accumulate in the type of their argument `dtype`, where the caller names one.
_SUMS = """
prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm linalg_matrix_norm.str_ord sum
sum.dim_IntList
""".split()
_WIDEST = "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add".split()

_of_thread = threading.local()  # .cast: casts of parameters, as long as the outermost autocast lasts


def install(patches):
    library = torch.library.Library("aten", "IMPL", "AutocastCUDA")
    patches.when_restored(library._destroy)
    for names, kind in ((_LOWER, _in_lower), (_FLOAT32, _in_float32), (_SUMS, _sum_in_float32), (_WIDEST, _in_widest),
                        (["binary_cross_entropy"], _refused)):
        for name in names:
            if _is_cast_by_pytorch(f"aten::{name}"):
                library.impl(name, kind(_overload(name)))
    for name in _RECURRENT:  # on a GPU they come to an operator of cuDNN, which casts
        library.impl(name, _in_half(_overload(name)))
    autocast = torch.amp.autocast_mode.autocast
    leave = autocast.__exit__

    def leave_and_forget(self, *error):
        result = leave(self, *error)
        if not torch.is_autocast_enabled("cuda"):
            _of_thread.cast = {}
        return result

    patches.set(autocast, "__exit__", leave_and_forget)


def of_function(device):
    """The context that a function on this device, or on none, is called in."""
    if device is None or not torch._C._is_any_autocast_enabled():
        return _NOTHING
    ours = torch._C._IncludeDispatchKeyGuard(_KEY) if torch.is_autocast_enabled("cuda") else _NOTHING
    return _WithoutThatOfTheCpu(ours) if torch.is_autocast_enabled("cpu") else ours


class _WithoutThatOfTheCpu(contextlib.ExitStack):
    """A context besides this one, in which autocast of the CPU casts nothing."""

    def __init__(self, besides):
        super().__init__()
        self._besides = besides

    def __enter__(self):
        super().__enter__()
        self.enter_context(torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)))
        self.enter_context(self._besides)


def _is_cast_by_pytorch(name):
    """Of an operator that may not be there."""
    return torch._C._dispatch_has_kernel(name) and torch._C._dispatch_has_kernel_for_dispatch_key(name, "AutocastCUDA")


def _overload(name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def _is_cast(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype != torch.float64


def _cast(value, dtype):
    if isinstance(value, (tuple, list)):
        return [_cast(one, dtype) for one in value]
    if not _is_cast(value) or value.dtype == dtype:
        return value
    if not (value.is_leaf and value.requires_grad and value.dtype == torch.float32 and torch.is_autocast_cache_enabled()):
        return value.to(dtype)
    kept, key = _of_thread.__dict__.setdefault("cast", {}), (id(value), dtype, torch.is_grad_enabled())
    if key not in kept:
        kept[key] = value, value.to(dtype)  # the parameter too, so that no other object gets its id
    return kept[key][1]


def _call(operator, arguments, options, dtype):
    with torch._C._ExcludeDispatchKeyGuard(_KEYS):
        return operator(*_cast(arguments, dtype), **{name: _cast(value, dtype) for name, value in options.items()})


def _in_lower(operator):
    return lambda *arguments, **options: _call(operator, arguments, options, torch.get_autocast_dtype("cuda"))


def _in_half(operator):
    """cuDNN's casts are to float16, whatever the type of autocast is."""

    def call(*arguments, **options):
        dtype = torch.float16 if torch.backends.cudnn.enabled else torch.get_autocast_dtype("cuda")
        return _call(operator, arguments, options, dtype)

    return call


def _in_float32(operator):
    return lambda *arguments, **options: _call(operator, arguments, options, torch.float32)


def _in_widest(operator):

    def call(*arguments, **options):
        types = {tensor.dtype for tensor in marks.tensors_in(arguments, options) if _is_cast(tensor)}
        widest = torch.float32 if torch.float32 in types else torch.get_autocast_dtype("cuda")
        return _call(operator, arguments, options, widest)

    return call


def _sum_in_float32(operator):
    of_dtype = [argument.name for argument in operator._schema.arguments].index("dtype")

    def call(*arguments, **options):
        asked = options.get("dtype", arguments[of_dtype] if len(arguments) > of_dtype else None)
        if _is_cast(arguments[0]) and asked is None:
            arguments, options = arguments[:of_dtype], {**options, "dtype": torch.float32}
        with torch._C._ExcludeDispatchKeyGuard(_KEYS):
            return operator(*arguments, **options)

    return call


def _refused(operator):

    def call(*arguments, **options):
        raise RuntimeError("torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast. Use "
                           "binary_cross_entropy_with_logits, or leave autocast for them.")

    return call
