"""flash-attn's Triton kernels: rotary, cross-entropy, norms and the experimental attention."""

import torch
import torch.nn.functional as F

from . import environment
from .cases import case, normal
from .judge import compare
from .partial_import import bare_packages
from .plain import rms, rotated, tables

bare_packages(
    environment.root_of("flash_attn"),
    "flash_attn",
    "flash_attn.ops",
    "flash_attn.ops.triton",
    "flash_attn.layers",
    "flash_attn.utils",
)

from flash_attn.layers.rotary import apply_rotary_emb, apply_rotary_emb_qkv_  # noqa: E402
from flash_attn.ops.triton.cross_entropy import cross_entropy_loss  # noqa: E402
from flash_attn.ops.triton.layer_norm import layer_norm_fn, rms_norm_fn  # noqa: E402

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


def rotary(batch, tokens, heads, width, turned, dtype, interleaved=False, offset=0):
    cos, sin = tables(tokens + offset, width=turned // 2, dtype=dtype)
    return compare(
        lambda x: apply_rotary_emb(x, cos, sin, interleaved, seqlen_offsets=offset),
        lambda x: rotated(x, cos[offset:, None], sin[offset:, None], interleaved),
        {"x": normal(batch, tokens, heads, width, dtype=dtype)},
        inner=dtype,
    )


@case
def rotary_bf16():
    return rotary(2, 13, 3, 64, 64, BF16)


@case
def rotary_interleaved_f32():
    return rotary(1, 17, 2, 48, 32, F32, interleaved=True)


@case
def rotary_offset_f16():
    return rotary(2, 9, 4, 96, 96, F16, offset=3)


@case
def rotary_of_packed_qkv():
    cos, sin = tables(11, width=32)
    plain = lambda x: rotated(x, cos[:, None], sin[:, None])
    return compare(
        lambda qkv: apply_rotary_emb_qkv_(qkv.clone(), cos, sin),
        lambda qkv: torch.stack([plain(qkv[:, :, 0]), plain(qkv[:, :, 1]), qkv[:, :, 2]], 2),
        {"qkv": normal(2, 11, 3, 2, 64)},
    )


def cross_entropy(rows, classes, dtype, smoothing=0.0):
    labels = torch.randint(0, classes, (rows,), generator=torch.Generator("cuda").manual_seed(4))
    labels[1] = -100
    return compare(
        lambda x: cross_entropy_loss(x, labels, label_smoothing=smoothing)[0],
        lambda x: F.cross_entropy(x, labels, label_smoothing=smoothing, reduction="none"),
        {"x": normal(rows, classes, dtype=dtype, scale=2.0)},
        inner=dtype,
        depth=16,
    )


@case
def cross_entropy_f32():
    return cross_entropy(7, 1003, F32)


@case
def cross_entropy_bf16_smoothing():
    return cross_entropy(5, 600, BF16, 0.1)


@case
def layer_norm_f32_residual():
    return compare(
        lambda x, weight, bias, residual: layer_norm_fn(x, weight, bias, residual=residual, prenorm=True),
        lambda x, weight, bias, residual: (F.layer_norm(x + residual, x.shape[-1:], weight, bias, 1e-6), x + residual),
        {
            "x": normal(2, 9, 300),
            "weight": normal(300, seed=2),
            "bias": normal(300, seed=3),
            "residual": normal(2, 9, 300, seed=4),
        },
    )


@case
def rms_norm_bf16():
    return compare(
        lambda x, weight: rms_norm_fn(x, weight, None),
        rms,
        {"x": normal(11, 200, dtype=BF16), "weight": normal(200, seed=2, dtype=BF16)},
        inner=BF16,
    )


@case
def rms_norm_of_two():
    return compare(
        lambda x, x1, weight: rms_norm_fn(x, weight, None, x1=x1),
        lambda x, x1, weight: rms(x + x1, weight),
        {"x": normal(7, 130), "x1": normal(7, 130, seed=3), "weight": normal(130, seed=2)},
    )
