"""The kernels of attention that torch.nn.functional.scaled_dot_product_attention chooses among on CUDA, and those of sequences of
different lengths (torch.nn.attention.varlen), where a program calls them by name. Dropout is not there."""

import contextlib
import math
import sys

import torch
from torch.backends import cuda as backends

from . import marks, mode
from .gpu_operators import kernel


@mode.special(torch.nn.functional.scaled_dot_product_attention)
def _as_operator_of_cuda(function, arguments, options):
    """A DTensor, and what stands for its operators (context_parallel), sees the operator that PyTorch calls: on a GPU one of CUDA."""
    query = arguments[0] if arguments else options.get("query")
    is_on_device = isinstance(query, torch.Tensor) and marks.mark_of(query)
    with _a_kernel_of_the_cpu() if is_on_device else contextlib.nullcontext():
        return (_called_by_name(*arguments, **options) or mode.ordinary)(function, arguments, options)


@contextlib.contextmanager
def _a_kernel_of_the_cpu():
    """Memory-efficient attention and cuDNN's are CUDA's alone: where a program asks for these (torch.nn.attention.sdpa_kernel),
    the plain formula computes the same here."""
    stands_in = not backends.math_sdp_enabled() and (backends.mem_efficient_sdp_enabled() or backends.cudnn_sdp_enabled())
    if stands_in:
        backends.enable_math_sdp(True)
    try:
        yield
    finally:
        if stands_in:
            backends.enable_math_sdp(False)


def _called_by_name(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    distributed = sys.modules.get("torch.distributed.tensor")
    if distributed is None or not isinstance(query, distributed.DTensor) or dropout_p or enable_gqa:
        return None
    aten, of_grad = torch.ops.aten, any(one.requires_grad for one in (query, key, value))
    mask_and_sums = (attn_mask, of_grad)
    if backends.flash_sdp_enabled() and attn_mask is None and query.dtype in (torch.float16, torch.bfloat16):
        operator, mask_and_sums = aten._scaled_dot_product_flash_attention, ()
    elif backends.mem_efficient_sdp_enabled():
        operator = aten._scaled_dot_product_efficient_attention
    elif backends.cudnn_sdp_enabled():
        operator = aten._scaled_dot_product_cudnn_attention
    else:
        return None
    arguments = (query, key, value, *mask_and_sums, 0.0, is_causal)
    return lambda *_: mode.ordinary(operator, arguments, {"scale": scale})[0]


def _expect_no_dropout(share):
    if share:
        raise NotImplementedError("attention with dropout, by the name of a kernel, is not on the virtual GPU; "
                                  "torch.nn.functional.scaled_dot_product_attention is")


def _for_each_head(query, one):
    """One head of the keys goes with several of the query."""
    return one if one.dim() < 3 or one.shape[-3] == query.shape[-3] else one.repeat_interleave(query.shape[-3] // one.shape[-3], -3)


def _scores(query, key, bias, is_causal, scale, window):
    """query: [..., queries, elements]. In float32."""
    scores = query.float() @ _for_each_head(query, key).float().mT * scale
    if bias is not None:
        scores = scores + bias.float()
    apart = torch.arange(key.shape[-2]) - torch.arange(query.shape[-2])[:, None]  # a row for each query
    left, right = None, 0 if is_causal else None
    if window is not None:
        apart = apart - (key.shape[-2] - query.shape[-2])  # the last query has the last key
        left, right = (None if one is None or one < 0 else one for one in window)
        right = 0 if is_causal else right
    if left is not None:
        scores = scores.masked_fill(apart < -left, -math.inf)
    if right is not None:
        scores = scores.masked_fill(apart > right, -math.inf)
    return scores


def _weights(scores, sums):
    """Of the keys. sums: logarithms of the sums over them."""
    return torch.where(sums[..., None] == -math.inf, 0, (scores - sums[..., None]).exp())


def _attended(query, key, value, bias=None, is_causal=False, scale=None, window=None):
    """The result, of the type of the query, and the logarithms of the sums."""
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = _scores(query, key, bias, is_causal, scale, window)
    sums = scores.logsumexp(-1)
    return (_weights(scores, sums) @ _for_each_head(query, value).float()).to(query.dtype), sums


def _gradients(gradient, query, key, value, out, sums, bias=None, is_causal=False, scale=None, window=None):
    """Of the query, the keys, the values and the bias. out and sums may be of more keys than these, as in a ring of ranks."""
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    weights = _weights(_scores(query, key, bias, is_causal, scale, window), sums)
    gradient = gradient.float()
    of_weights = gradient @ _for_each_head(query, value).float().mT
    of_scores = weights * (of_weights - (gradient * out.float()).sum(-1, keepdim=True))
    of_query = of_scores @ _for_each_head(query, key).float() * scale
    of_key, of_value = of_scores.mT @ query.float() * scale, weights.mT @ gradient
    if key.dim() > 2 and key.shape[-3] != query.shape[-3]:
        of_key, of_value = (one.unflatten(-3, (key.shape[-3], -1)).sum(-3) for one in (of_key, of_value))
    of_bias = None if bias is None else of_scores.sum_to_size(bias.shape).to(bias.dtype)
    return of_query.to(query.dtype), of_key.to(key.dtype), of_value.to(value.dtype), of_bias


def _seeds(count=2):
    return [torch.zeros((), dtype=torch.long) for _ in range(count)]


@kernel("_scaled_dot_product_flash_attention")
def _flash(query, key, value, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    _expect_no_dropout(dropout_p)
    result, sums = _attended(query, key, value, None, is_causal, scale)
    return (_as_stored(result), sums, None, None, query.shape[2], key.shape[2], *_seeds(), query.new_empty(0))


@kernel("_scaled_dot_product_cudnn_attention")
def _cudnn(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    _expect_no_dropout(dropout_p)
    result, sums = _attended(query, key, value, attn_bias, is_causal, scale)
    return (_as_stored(result), sums, None, None, query.shape[2], key.shape[2], *_seeds(), query.new_empty(0))


@kernel("_scaled_dot_product_efficient_attention")
def _efficient(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, *, scale=None):
    _expect_no_dropout(dropout_p)
    result, sums = _attended(query, key, value, attn_bias, is_causal, scale)
    return (_as_stored(result), sums if compute_log_sumexp else sums.new_empty(*sums.shape[:-1], 0), *_seeds())


def _as_stored(result):
    """The kernels write the heads of a query beside each other."""
    return result.transpose(1, 2).contiguous().transpose(1, 2)


@kernel("_scaled_dot_product_flash_attention_backward")
def _flash_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal,
                    philox_seed, philox_offset, *, scale=None):
    return _gradients(grad_out, query, key, value, out, logsumexp, None, is_causal, scale)[:3]


@kernel("_scaled_dot_product_cudnn_attention_backward")
def _cudnn_backward(grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q,
                    max_k, dropout_p, is_causal, *, scale=None):
    return _gradients(grad_out, query, key, value, out, logsumexp, attn_bias, is_causal, scale)[:3]


@kernel("_scaled_dot_product_efficient_attention_backward")
def _efficient_backward(grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p,
                        grad_input_mask, is_causal=False, *, scale=None):
    found = _gradients(grad_out_, query, key, value, out, logsumexp, attn_bias, is_causal, scale)
    return tuple(one if wanted else None for one, wanted in zip(found, grad_input_mask))


def _sequences(starts, *tensors):
    """The parts of tensors [tokens, heads, elements], as [heads, tokens, elements]; starts: those of each tensor's sequences."""
    for index in range(len(starts[0]) - 1):
        yield [tensor[int(first[index]):int(first[index + 1])].transpose(0, 1) for first, tensor in zip(starts, tensors)]


def _of_sequences(query, key, value, of_queries, of_keys, is_causal, scale, window):
    """query: [tokens, heads, elements], or [batches, tokens, heads, elements] where there are no starts."""
    if of_queries is None:
        result, sums = _attended(*(one.transpose(1, 2) for one in (query, key, value)), None, is_causal, scale, window)
        return result.transpose(1, 2), sums
    found = [_attended(*parts, None, is_causal, scale, window)
             for parts in _sequences((of_queries, of_keys, of_keys), query, key, value)]
    return torch.cat([result.transpose(0, 1) for result, _ in found]), torch.cat([sums for _, sums in found], 1)


def _window(left, right):
    """As given; with causal attention, the last query has the last key, as in the flash-attention library."""
    return -1 if left is None else left, -1 if right is None else right


@kernel("_flash_attention_forward")
def _flash_of_sequences(query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, return_debug_mask, *, scale=None,
                        window_size_left=None, window_size_right=None, seqused_k=None, alibi_slopes=None, block_table=None,
                        num_splits=None):
    _expect_no_dropout(dropout_p)
    if seqused_k is not None or alibi_slopes is not None or block_table is not None:
        raise NotImplementedError("flash attention over pages, or with slopes, is not on the virtual GPU")
    window = _window(window_size_left, window_size_right)
    result, sums = _of_sequences(query, key, value, cum_seq_q, cum_seq_k, is_causal, scale, window)
    return (result, sums, *_seeds(), query.new_empty(0))


@kernel("_flash_attention_backward")
def _flash_of_sequences_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal,
                                 rng_state, unused, *, scale=None, window_size_left=None, window_size_right=None):
    window = _window(window_size_left, window_size_right)
    if cum_seq_q is None:
        parts = (one.transpose(1, 2) for one in (grad_out, query, key, value, out))
        found = _gradients(*parts, logsumexp, None, is_causal, scale, window)[:3]
        return tuple(one.transpose(1, 2) for one in found)
    starts = (cum_seq_q, cum_seq_q, cum_seq_k, cum_seq_k, cum_seq_q, cum_seq_q)
    parts = _sequences(starts, grad_out, query, key, value, out, logsumexp.transpose(0, 1))
    found = [_gradients(*part, None, is_causal, scale, window)[:3] for part in parts]
    return tuple(torch.cat([one.transpose(0, 1) for one in of_input]) for of_input in zip(*found))


@kernel("_cudnn_attention_forward")
def _cudnn_of_sequences(query, key, value, attn_bias, cum_seq_q, cum_seq_k, max_q, max_k, compute_log_sumexp, dropout_p=0.0,
                        is_causal=False, return_debug_mask=False, *, scale=None, seqused_k=None, block_table=None):
    result, sums, *seeds, mask = _flash_of_sequences(query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, False,
                                                     scale=scale, seqused_k=seqused_k, block_table=block_table)
    return (result, sums, cum_seq_q, cum_seq_k, max_q, max_k, *seeds, mask)


@kernel("_cudnn_attention_backward")
def _cudnn_of_sequences_backward(grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q,
                                 cum_seq_k, max_q, max_k, dropout_p, is_causal, *, scale=None):
    return _flash_of_sequences_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p,
                                        is_causal, philox_seed, philox_offset, scale=scale)
