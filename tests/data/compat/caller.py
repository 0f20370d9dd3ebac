"""A caller of flash-attn's backward that hands arguments on by place, as they stood from 2.4.1 to 2.5."""
from importlib.metadata import version

from flash_attn.flash_attn_interface import _flash_attn_varlen_backward
from packaging.version import Version

_flash_attn_2_4_1_plus = Version(version("flash-attn")) >= Version("2.4.1")


def backward(ctx, dout, q, k, v, out, softmax_lse, dq, dk, dv, rng_state):
    arguments = [dout, q, k, v, out, softmax_lse, dq, dk, dv, ctx.cu_seqlens_q, ctx.cu_seqlens_k]
    arguments += [ctx.max_seqlen_q, ctx.max_seqlen_k, ctx.dropout_p, ctx.softmax_scale, ctx.causal, ctx.window_size]
    if _flash_attn_2_4_1_plus:
        arguments += [ctx.alibi_slopes, ctx.deterministic]
    _flash_attn_varlen_backward(*arguments, rng_state)
