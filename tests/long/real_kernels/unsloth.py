"""Wrappers of unsloth's kernels."""

import packaging.version
import torch
import torch.nn.functional as F

from . import environment
from .cases import case, normal
from .judge import compare
from .partial_import import bare_packages, stand_ins
from .plain import rms, rotated, tables

bare_packages(environment.root_of("unsloth"), "unsloth", "unsloth.kernels")
stand_ins(
    {
        "unsloth_zoo": {},
        "bitsandbytes": {"__version__": "0.46.0"},
        "transformers.models": {},
        "unsloth_zoo.utils": {"Version": lambda text: packaging.version.Version(str(text).split("+")[0])},
        "unsloth.device_type": {
            "DEVICE_TYPE": "cuda",
            "DEVICE_TYPE_TORCH": "cuda",
            "DEVICE_COUNT": 1,
            "is_hip": lambda: False,
        },
        "unsloth.kernels.fp8": {},
        "unsloth.kernels.nvfp4": {},
        "unsloth.bnb_availability": {"native_kernels_ready": lambda *_: False},
    }
)

from unsloth.kernels.cross_entropy_loss import Fast_CrossEntropyLoss  # noqa: E402
from unsloth.kernels.geglu import (  # noqa: E402
    geglu_approx_backward_kernel,
    geglu_approx_forward_kernel,
    geglu_exact_backward_kernel,
    geglu_exact_forward_kernel,
)
from unsloth.kernels.layernorm import Fast_Layernorm  # noqa: E402
from unsloth.kernels.qk_norm_rope import Fast_QK_Norm_RoPE  # noqa: E402
from unsloth.kernels.rms_layernorm import Fast_RMS_Layernorm  # noqa: E402
from unsloth.kernels.rope_embedding import Fast_RoPE_Embedding, Fast_RoPE_Embedding_QK  # noqa: E402
from unsloth.kernels.swiglu import swiglu_DWf_DW_dfg_kernel, swiglu_fg_kernel  # noqa: E402

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


def rope(batch, tokens, heads, width, dtype):
    cos, sin = tables(tokens, width=width // 2, dtype=dtype)
    return compare(
        lambda q: Fast_RoPE_Embedding.apply(q.clone(), cos.repeat(1, 2), sin.repeat(1, 2)),
        lambda q: rotated(q, cos[:, None], sin[:, None]),
        {"q": normal(batch, tokens, heads, width, dtype=dtype)},
        inner=dtype,
    )


@case
def rope_f32():
    return rope(2, 11, 3, 64, F32)


@case
def rope_bf16():
    return rope(1, 13, 5, 96, BF16)


def rope_qk(batch, heads, kv_heads, tokens, width, dtype, indices=False):
    cos, sin = tables(tokens + 3, width=width // 2, dtype=dtype)
    rows = (
        torch.randperm(tokens + 3, generator=torch.Generator("cuda").manual_seed(3))[:tokens] if indices else torch.arange(tokens)
    )
    chosen = rows.repeat(batch).int() if indices else None
    plain = lambda x: rotated(x, cos[rows], sin[rows])
    return compare(
        lambda q, k: Fast_RoPE_Embedding_QK.apply(q.clone(), k.clone(), cos.repeat(1, 2), sin.repeat(1, 2), chosen),
        lambda q, k: (plain(q), plain(k)),
        {
            "q": normal(batch, heads, tokens, width, dtype=dtype),
            "k": normal(batch, kv_heads, tokens, width, dtype=dtype, seed=2),
        },
        inner=dtype,
    )


@case
def rope_qk_f32():
    return rope_qk(2, 4, 2, 9, 64, F32)


@case
def rope_qk_bf16_indices():
    return rope_qk(2, 3, 1, 7, 128, BF16, indices=True)


@case
def rope_qk_f16():
    return rope_qk(1, 6, 6, 5, 80, F16)


def rms_norm(rows, width, dtype, gemma=False):
    return compare(
        lambda x, weight: Fast_RMS_Layernorm.apply(x, weight, 1e-6, gemma),
        lambda x, weight: rms(x, weight + 1 if gemma else weight),
        {"x": normal(*rows, width, dtype=dtype), "weight": normal(width, dtype=dtype, seed=2)},
        inner=dtype,
    )


@case
def rms_f32():
    return rms_norm((2, 9), 320, F32)


@case
def rms_bf16_gemma():
    return rms_norm((3, 7), 96, BF16, gemma=True)


@case
def rms_f16_wide():
    return rms_norm((5,), 1100, F16)


@case
def layer_norm_f32():
    return compare(
        lambda x, weight, bias: Fast_Layernorm.apply(x, weight, bias, 1e-5),
        lambda x, weight, bias: F.layer_norm(x, x.shape[-1:], weight, bias, 1e-5),
        {"x": normal(2, 9, 300), "weight": normal(300, seed=2), "bias": normal(300, seed=3)},
    )


def cross_entropy(rows, classes, dtype, softcap=0, scale=0):
    labels = torch.randint(0, classes, (rows,), generator=torch.Generator("cuda").manual_seed(4))
    labels[1] = -100

    def plain(x):
        x = x * scale if scale else x
        x = softcap * torch.tanh(x / softcap) if softcap else x
        return F.cross_entropy(x, labels, reduction="none")

    return compare(
        lambda x: Fast_CrossEntropyLoss.apply(x.clone(), labels, softcap, scale),
        plain,
        {"x": normal(rows, classes, dtype=dtype, scale=2.0)},
        inner=dtype,
        depth=16,
    )


@case
def cross_entropy_f32():
    return cross_entropy(7, 1003, F32)


@case
def cross_entropy_bf16_softcap():
    return cross_entropy(5, 600, BF16, softcap=30.0)


@case
def cross_entropy_chunked():
    return cross_entropy(3, 70001, F32)


@case
def cross_entropy_f32_scaled():
    return cross_entropy(6, 517, F32, scale=0.25)


@case
def qk_norm_rope():
    batch, tokens, heads, kv_heads, width = 2, 7, 4, 2, 64
    cos, sin = tables(tokens, width=width // 2)
    plain = lambda x, weight: rotated(rms(x, weight), cos[:, None], sin[:, None])
    given = {
        "q": normal(batch, tokens, heads, width),
        "k": normal(batch, tokens, kv_heads, width, seed=2),
        "wq": normal(width, seed=3, grad=False),
        "wk": normal(width, seed=4, grad=False),
    }
    return compare(
        lambda q, k, wq, wk: Fast_QK_Norm_RoPE.apply(
            q, k, wq, wk, cos.repeat(1, 2), sin.repeat(1, 2), None, 1e-6, 1e-6, False
        ),
        lambda q, k, wq, wk: (plain(q, wq), plain(k, wk)),
        given,
    )


class _Glu(torch.autograd.Function):
    """As unsloth's LoRA MLP calls the two kernels: backward writes h, df and de over its inputs."""

    @staticmethod
    def forward(ctx, e, g, forward, backward):
        ctx.save_for_backward(e, g)
        ctx.backward_kernel = backward
        return forward(e, g)

    @staticmethod
    def backward(ctx, pull):
        e, g = ctx.saved_tensors
        width = e.shape[-1]
        _, df, de = ctx.backward_kernel(
            pull.reshape(-1, width).clone(), e.reshape(-1, width).clone(), g.reshape(-1, width).clone()
        )
        # df is the pull times f(e), which is the gradient of g; de is that of e.
        return de.view_as(e), df.view_as(g), None, None


def glu(dtype, forward, backward, activation):
    return compare(
        lambda e, g: _Glu.apply(e, g, forward, backward),
        lambda e, g: activation(e) * g,
        {"e": normal(1, 7, 300, dtype=dtype), "g": normal(1, 7, 300, dtype=dtype, seed=2)},
        inner=dtype,
    )


@case
def swiglu_f32():
    return glu(F32, swiglu_fg_kernel, swiglu_DWf_DW_dfg_kernel, F.silu)


@case
def swiglu_bf16():
    return glu(BF16, swiglu_fg_kernel, swiglu_DWf_DW_dfg_kernel, F.silu)


@case
def geglu_exact_f32():
    return glu(F32, geglu_exact_forward_kernel, geglu_exact_backward_kernel, F.gelu)


@case
def geglu_approx_f16():
    return glu(F16, geglu_approx_forward_kernel, geglu_approx_backward_kernel, lambda e: F.gelu(e, approximate="tanh"))
