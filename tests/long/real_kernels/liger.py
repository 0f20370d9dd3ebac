"""Wrappers of liger-kernel."""

import torch
import torch.nn.functional as F
from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
from liger_kernel.ops.dyt import LigerDyTFunction
from liger_kernel.ops.fused_add_rms_norm import LigerFusedAddRMSNormFunction
from liger_kernel.ops.fused_linear_cross_entropy import LigerFusedLinearCrossEntropyFunction
from liger_kernel.ops.geglu import LigerGELUMulFunction
from liger_kernel.ops.group_norm import LigerGroupNormFunction
from liger_kernel.ops.jsd import LigerJSDFunction
from liger_kernel.ops.kl_div import LigerKLDivLossFunction
from liger_kernel.ops.layer_norm import LigerLayerNormFunction
from liger_kernel.ops.llama4_rope import LigerLlama4RopeFunction
from liger_kernel.ops.poly_norm import LigerPolyNormFunction
from liger_kernel.ops.qwen2vl_mrope import LigerQwen2VLMRopeFunction
from liger_kernel.ops.relu_squared import LigerReLUSquaredFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.rope import LigerRopeFunction
from liger_kernel.ops.softmax import LigerSoftmaxFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction
from liger_kernel.ops.tvd import LigerTVDLossFunction

from .cases import case, normal
from .judge import compare
from .plain import mrope_tables, rms, rotated, tables

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


def applied(function):
    return lambda *given, **named: function.apply(*given, *named.values())


def rope(batch, heads, kv_heads, tokens, width, dtype):
    cos, sin = tables(1, tokens, width=width // 2, dtype=dtype)
    given = {
        "q": normal(batch, heads, tokens, width, dtype=dtype),
        "k": normal(batch, kv_heads, tokens, width, dtype=dtype, seed=2),
    }
    return compare(
        lambda q, k: LigerRopeFunction.apply(q.clone(), k.clone(), cos.repeat(1, 1, 2), sin.repeat(1, 1, 2)),
        lambda q, k: (rotated(q, cos, sin), rotated(k, cos, sin)),
        given,
        inner=dtype,
    )


@case
def rope_f32():
    return rope(2, 4, 2, 11, 64, F32)


@case
def rope_bf16_uneven():
    return rope(1, 3, 1, 7, 40, BF16)


@case
def rope_f16():
    return rope(2, 6, 3, 5, 128, F16)


def mrope(batch, heads, kv_heads, tokens, width, sections, dtype):
    cos, sin = mrope_tables(batch, tokens, width=width // 2, dtype=dtype)
    ends = [sum(sections[:n]) for n in range(4)]
    chosen = lambda table: torch.cat([table[n, :, None, :, ends[n] : ends[n + 1]] for n in range(3)], -1)
    given = {
        "q": normal(batch, heads, tokens, width, dtype=dtype),
        "k": normal(batch, kv_heads, tokens, width, dtype=dtype, seed=2),
    }
    return compare(
        lambda q, k: LigerQwen2VLMRopeFunction.apply(
            q.clone(), k.clone(), cos.repeat(1, 1, 1, 2), sin.repeat(1, 1, 1, 2), sections
        ),
        lambda q, k: (rotated(q, chosen(cos), chosen(sin)), rotated(k, chosen(cos), chosen(sin))),
        given,
        inner=dtype,
    )


@case
def qwen2vl_mrope_f32():
    return mrope(2, 4, 2, 9, 64, [8, 12, 12], F32)


@case
def qwen2vl_mrope_bf16():
    return mrope(1, 3, 1, 13, 96, [16, 16, 16], BF16)


def cross_entropy(rows, classes, dtype, smoothing=0.0, reduction="mean", softcap=None, weight=None):
    target = torch.randint(0, classes, (rows,), generator=torch.Generator("cuda").manual_seed(4))
    target[rows // 3] = -100
    weights = normal(classes, grad=False, seed=8).abs() + 0.5 if weight else None

    def wrapper(x):
        return LigerCrossEntropyFunction.apply(x.clone(), target, weights, -100, 0.0, smoothing, reduction, softcap)[0]

    def plain(x):
        capped = x if softcap is None else softcap * torch.tanh(x / softcap)
        return F.cross_entropy(
            capped,
            target,
            weights.double() if weight else None,
            ignore_index=-100,
            label_smoothing=smoothing,
            reduction=reduction,
        )

    return compare(wrapper, plain, {"x": normal(rows, classes, dtype=dtype, scale=2.0)}, inner=dtype, depth=16)


@case
def cross_entropy_f32():
    return cross_entropy(9, 1001, F32)


@case
def cross_entropy_bf16_smoothing():
    return cross_entropy(7, 513, BF16, smoothing=0.1)


@case
def cross_entropy_f32_sum_softcap():
    return cross_entropy(5, 777, F32, reduction="sum", softcap=30.0)


@case
def cross_entropy_f32_none_weight():
    return cross_entropy(6, 300, F32, reduction="sum", weight=True)


def rms_norm(rows, width, dtype, mode, offset=0.0, row_mode=None):
    return compare(
        lambda x, weight: LigerRMSNormFunction.apply(x.clone(), weight, 1e-6, offset, mode, False, row_mode),
        lambda x, weight: rms(x, weight + offset),
        {"x": normal(*rows, width, dtype=dtype), "weight": normal(width, dtype=dtype, seed=2)},
        inner=dtype,
    )


@case
def rms_norm_llama_f32():
    return rms_norm((3, 5), 320, F32, "llama")


@case
def rms_norm_gemma_bf16():
    return rms_norm((2, 7), 192, BF16, "gemma", 1.0)


@case
def rms_norm_none_f16_many_rows():
    return rms_norm((40,), 72, F16, "none")


@case
def rms_norm_llama_bf16_rows():
    return rms_norm((11, 23), 64, BF16, "llama", row_mode=True)


@case
def rms_norm_by_blocks_of_rows():
    return rms_norm((520,), 48, F32, "llama", row_mode=False)


@case
def fused_add_rms_norm():
    return compare(
        lambda x, r, weight: LigerFusedAddRMSNormFunction.apply(x.clone(), r.clone(), weight, 1e-6, 0.0, "llama", False),
        lambda x, r, weight: (rms(x + r, weight), x + r),
        {"x": normal(3, 5, 200), "r": normal(3, 5, 200, seed=2), "weight": normal(200, seed=3)},
    )


def layer_norm(rows, width, dtype):
    return compare(
        lambda x, weight, bias: LigerLayerNormFunction.apply(x, weight, bias, 1e-6),
        lambda x, weight, bias: F.layer_norm(x, (width,), weight, bias, 1e-6),
        {
            "x": normal(*rows, width, dtype=dtype),
            "weight": normal(width, dtype=dtype, seed=2),
            "bias": normal(width, dtype=dtype, seed=3),
        },
        inner=dtype,
    )


@case
def layer_norm_f32():
    return layer_norm((3, 9), 257, F32)


@case
def layer_norm_bf16():
    return layer_norm((130,), 96, BF16)


@case
def layer_norm_f16():
    return layer_norm((2, 5), 1000, F16)


@case
def group_norm():
    return compare(
        lambda x, weight, bias: LigerGroupNormFunction.apply(x, weight, bias, 12, 3, 1e-5),
        lambda x, weight, bias: F.group_norm(x, 3, weight, bias, 1e-5),
        {"x": normal(2, 12, 75), "weight": normal(12, seed=2), "bias": normal(12, seed=3)},
    )


@case
def swiglu_f32():
    return compare(
        applied(LigerSiLUMulFunction), lambda a, b: F.silu(a) * b, {"a": normal(3, 7, 300), "b": normal(3, 7, 300, seed=2)}
    )


@case
def swiglu_bf16():
    return compare(
        applied(LigerSiLUMulFunction),
        lambda a, b: F.silu(a) * b,
        {"a": normal(5, 1100, dtype=BF16), "b": normal(5, 1100, dtype=BF16, seed=2)},
        inner=BF16,
    )


@case
def geglu_f32():
    return compare(
        applied(LigerGELUMulFunction),
        lambda a, b: F.gelu(a, approximate="tanh") * b,
        {"a": normal(3, 7, 300), "b": normal(3, 7, 300, seed=2)},
    )


@case
def relu_squared():
    return compare(applied(LigerReLUSquaredFunction), lambda x: F.relu(x) ** 2, {"x": normal(9, 333)})


@case
def softmax_one_block():
    return compare(applied(LigerSoftmaxFunction), lambda x: F.softmax(x, -1), {"x": normal(6, 333)})


@case
def dyt():
    return compare(
        applied(LigerDyTFunction),
        lambda x, alpha, gamma, beta: gamma * torch.tanh(alpha * x) + beta,
        {"x": normal(70, 200), "alpha": normal(1, seed=2), "gamma": normal(200, seed=3), "beta": normal(200, seed=4)},
    )


@case
def kl_div():
    q = F.softmax(normal(7, 500, grad=False, seed=9), -1)
    return compare(
        lambda x: LigerKLDivLossFunction.apply(F.log_softmax(x, -1), q, "batchmean", False),
        lambda x: F.kl_div(F.log_softmax(x, -1), q.double(), reduction="batchmean"),
        {"x": normal(7, 500)},
        depth=32,
    )


@case
def tvd():
    q = F.softmax(normal(5, 700, grad=False, seed=9), -1)
    return compare(
        lambda x: LigerTVDLossFunction.apply(F.softmax(x, -1), q, None, "sum", -100),
        lambda x: 0.5 * (F.softmax(x, -1) - q.double()).abs().sum(),
        {"x": normal(5, 700)},
        depth=32,
    )


@case
def fused_linear_cross_entropy():
    target = torch.randint(0, 300, (21,), generator=torch.Generator("cuda").manual_seed(4))
    return compare(
        lambda x, weight: LigerFusedLinearCrossEntropyFunction.apply(x, weight, target)[0],
        lambda x, weight: F.cross_entropy(x @ weight.T, target),
        {"x": normal(21, 48), "weight": normal(300, 48, seed=2, scale=0.2)},
        depth=32,
    )


@case
def poly_norm():
    def plain(x, weight, bias):
        powers = [rms(x**power) for power in (3, 2, 1)]
        return sum(one * part for one, part in zip(weight, powers)) + bias

    given = {"x": normal(9, 200), "weight": normal(3, seed=2), "bias": normal(seed=3)}
    return compare(lambda x, weight, bias: LigerPolyNormFunction.apply(x, weight, bias, 1e-6, False), plain, given, depth=16)


@case
def llama4_rope():
    cos, sin = tables(7, width=24)
    plain = lambda x: rotated(x, cos[:, None], sin[:, None], interleaved=True)
    return compare(
        lambda q, k: LigerLlama4RopeFunction.apply(q.clone(), k.clone(), torch.complex(cos, sin)),
        lambda q, k: (plain(q), plain(k)),
        {"q": normal(2, 7, 3, 48), "k": normal(2, 7, 1, 48, seed=2)},
    )


@case
def jensen_shannon():
    def plain(x, y):
        p, q = F.log_softmax(x, -1), F.log_softmax(y, -1)
        middle = (0.5 * (p.exp() + q.exp())).log()
        terms = 0.5 * q.exp() * (q - middle) + 0.5 * p.exp() * (p - middle)
        return terms.sum() / x.shape[0]

    return compare(
        lambda x, y: LigerJSDFunction.apply(F.log_softmax(x, -1), F.log_softmax(y, -1)),
        plain,
        {"x": normal(7, 300), "y": normal(7, 300, seed=2, grad=False)},
        depth=32,
    )
