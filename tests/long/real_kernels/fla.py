"""Wrappers of flash-linear-attention (fla-core)."""

import torch
import torch.nn.functional as F
from fla.modules.activations import logsigmoid, swiglu, swish
from fla.modules.causal_conv1d import causal_conv1d
from fla.modules.fused_cross_entropy.ops import cross_entropy_loss
from fla.modules.norm.fused_norm_gate import rms_norm_gated
from fla.modules.norm.l2norm import l2norm
from fla.modules.norm.layernorm import group_norm, layer_norm, rms_norm
from fla.modules.rotary.ops import rotary_embedding
from fla.modules.token_shift import token_shift
from fla.ops.attn.parallel import parallel_attn
from fla.ops.delta_rule import chunk_delta_rule, fused_recurrent_delta_rule
from fla.ops.gated_delta_rule import chunk_gated_delta_rule, fused_recurrent_gated_delta_rule
from fla.ops.forgetting_attn import parallel_forgetting_attn
from fla.ops.gla import chunk_gla, fused_recurrent_gla
from fla.ops.hgrn import chunk_hgrn, fused_recurrent_hgrn
from fla.ops.kda import chunk_kda
from fla.ops.linear_attn import chunk_linear_attn, fused_recurrent_linear_attn
from fla.ops.retention import chunk_retention, parallel_retention
from fla.ops.simple_gla import chunk_simple_gla, fused_recurrent_simple_gla
from fla.ops.utils.cumsum import chunk_global_cumsum, chunk_local_cumsum
from fla.ops.utils.pooling import mean_pooling

from .cases import case, normal
from .judge import compare
from .plain import attention, rms, rotated, tables

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
TF32 = 2.0**-10  # tensor cores drop 13 bits of an f32


def rotary(batch, tokens, heads, width, turned, dtype, interleaved=False, offset=0):
    cos, sin = tables(tokens + offset, width=turned // 2, dtype=dtype)
    return compare(
        lambda x: rotary_embedding(x, cos, sin, interleaved=interleaved, seqlen_offsets=offset),
        lambda x: rotated(x, cos[offset:, None], sin[offset:, None], interleaved),
        {"x": normal(batch, tokens, heads, width, dtype=dtype)},
        inner=dtype,
    )


@case
def rotary_f32():
    return rotary(2, 13, 3, 64, 64, F32)


@case
def rotary_interleaved_bf16():
    return rotary(1, 17, 2, 48, 32, BF16, interleaved=True)


@case
def rotary_offset_f16():
    return rotary(2, 9, 4, 80, 80, F16, offset=5)


def norm(wrapper, plain, rows, width, dtype, residual=False, parts=("weight", "bias")):
    given = {"x": normal(*rows, width, dtype=dtype)}
    for number, name in enumerate(parts):
        given[name] = normal(width, dtype=dtype, seed=2 + number)
    if residual:
        given["residual"] = normal(*rows, width, dtype=dtype, seed=7)
    return compare(wrapper, plain, given, inner=dtype)


@case
def layer_norm_f32():
    return norm(layer_norm, lambda x, weight, bias: F.layer_norm(x, x.shape[-1:], weight, bias), (3, 11), 320, F32)


@case
def layer_norm_bf16_residual():
    return norm(
        layer_norm,
        lambda x, weight, bias, residual: F.layer_norm(x + residual, x.shape[-1:], weight, bias),
        (2, 7),
        96,
        BF16,
        residual=True,
    )


@case
def layer_norm_wide():
    return norm(layer_norm, lambda x, weight, bias: F.layer_norm(x, x.shape[-1:], weight, bias), (5,), 1100, F32)


def plain_rms(x, weight, bias):
    return rms(x, weight, bias, 1e-5)


@case
def rms_norm_f32():
    return norm(rms_norm, plain_rms, (3, 11), 200, F32)


@case
def rms_norm_bf16():
    return norm(rms_norm, plain_rms, (9,), 768, BF16)


@case
def group_norm_f32():
    return norm(
        lambda x, weight, bias: group_norm(x, weight, bias, num_groups=3),
        lambda x, weight, bias: F.layer_norm(x.unflatten(-1, (3, -1)), (32,)).flatten(-2) * weight + bias,
        (7,),
        96,
        F32,
    )


@case
def rms_norm_gated_f32():
    return norm(
        lambda x, weight, residual: rms_norm_gated(x, residual, weight, None),
        lambda x, weight, residual: rms(x, weight) * F.silu(residual),
        (3, 9),
        128,
        F32,
        residual=True,
        parts=("weight",),
    )


@case
def rms_norm_gated_wide_bf16():
    return norm(
        lambda x, weight, residual: rms_norm_gated(x, residual, weight, None, activation="sigmoid"),
        lambda x, weight, residual: rms(x, weight) * torch.sigmoid(residual),
        (5,),
        640,
        BF16,
        residual=True,
        parts=("weight",),
    )


@case
def l2norm_f32():
    return norm(l2norm, lambda x: x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6), (2, 13, 3), 48, F32, parts=())


@case
def l2norm_wide_bf16():
    return norm(l2norm, lambda x: x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6), (5,), 600, BF16, parts=())


@case
def swish_f32():
    return compare(lambda x: swish(x), lambda x: F.silu(x), {"x": normal(7, 333)})


@case
def logsigmoid_bf16():
    return compare(
        lambda x: logsigmoid(x, 2.0), lambda x: F.logsigmoid(x) / 2, {"x": normal(7, 333, dtype=BF16)}, inner=BF16
    )


@case
def swiglu_f32():
    return compare(lambda x, y: swiglu(x, y), lambda x, y: F.silu(x) * y, {"x": normal(5, 300), "y": normal(5, 300, seed=2)})


@case
def cross_entropy_f32():
    target = torch.randint(0, 1003, (7,), generator=torch.Generator("cuda").manual_seed(4))
    target[2] = -100
    return compare(
        lambda x: cross_entropy_loss(x, target, label_smoothing=0.1)[0],
        lambda x: F.cross_entropy(x, target, label_smoothing=0.1, reduction="none"),
        {"x": normal(7, 1003, scale=2.0)},
        depth=16,
    )


@case
def token_shift_f32():
    return compare(token_shift, lambda x: F.pad(x, (0, 0, 1, -1)) - x, {"x": normal(2, 37, 72)})


@case
def causal_conv1d_silu():
    def plain(x, weight, bias):
        width = weight.shape[1]
        return F.silu(
            F.conv1d(F.pad(x.transpose(1, 2), (width - 1, 0)), weight[:, None], bias, groups=x.shape[2])
        ).transpose(1, 2)

    return compare(
        lambda x, weight, bias: causal_conv1d(x, weight, bias, activation="silu")[0],
        plain,
        {"x": normal(2, 45, 72), "weight": normal(72, 4, seed=2), "bias": normal(72, seed=3)},
    )


@case
def mean_pooling_uneven():
    return compare(
        lambda x: mean_pooling(x, 16),
        lambda x: torch.stack([part.mean(1) for part in x.split(16, 1)], 1),
        {"x": normal(2, 41, 3, 40)},
    )


@case
def local_cumsum():
    return compare(
        lambda x: chunk_local_cumsum(x, 16),
        lambda x: torch.cat([part.cumsum(1) for part in x.split(16, 1)], 1),
        {"x": normal(2, 45, 3, grad=False)},
    )


@case
def local_cumsum_of_vectors():
    return compare(
        lambda x: chunk_local_cumsum(x, 32, reverse=True),
        lambda x: torch.cat([part.flip(1).cumsum(1).flip(1) for part in x.split(32, 1)], 1),
        {"x": normal(1, 70, 2, 40, grad=False)},
    )


@case
def global_cumsum():
    return compare(chunk_global_cumsum, lambda s: s.cumsum(1), {"s": normal(2, 300, 3, grad=False)}, inner=TF32)


def heads(batch, tokens, count, width, dtype, seed):
    return normal(batch, tokens, count, width, dtype=dtype, seed=seed)


@case
def parallel_attention_bf16():
    return compare(
        parallel_attn,
        attention,
        {"q": heads(1, 150, 2, 64, BF16, 1), "k": heads(1, 150, 1, 64, BF16, 2), "v": heads(1, 150, 1, 64, BF16, 3)},
        inner=BF16,
    )


@case
def parallel_attention_f32_window():
    return compare(
        lambda q, k, v: parallel_attn(q, k, v, window_size=40),
        lambda q, k, v: attention(q, k, v, window=40),
        {"q": heads(1, 70, 2, 40, F32, 1), "k": heads(1, 70, 2, 40, F32, 2), "v": heads(1, 70, 2, 40, F32, 3)},
        inner=TF32,
    )


def recurrence(q, k, v, gate=None, beta=None):
    """o of the states S = exp(gate) S + k v (or with the delta rule), token by token; gate [B,T,H] or [B,T,H,K]."""
    q = q * q.shape[-1] ** -0.5
    state, outputs = q.new_zeros(q.shape[0], q.shape[2], k.shape[3], v.shape[3]), []
    for t in range(q.shape[1]):
        if gate is not None:
            decay = gate[:, t].exp()
            state = state * (decay[..., None] if decay.dim() == 3 else decay[..., None, None])
        value = v[:, t]
        if beta is not None:
            value = (value - torch.einsum("bhk,bhkv->bhv", k[:, t], state)) * beta[:, t, :, None]
        state = state + k[:, t, :, :, None] * value[:, :, None]
        outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, t], state))
    return torch.stack(outputs, 1)


def qkv(batch, tokens, count, width, values, dtype, unit_keys=False):
    k = heads(batch, tokens, count, width, dtype, 2).detach()
    if unit_keys:
        k = F.normalize(k.float(), dim=-1).to(dtype)
    return {
        "q": heads(batch, tokens, count, width, dtype, 1),
        "k": k.requires_grad_(),
        "v": heads(batch, tokens, count, values, dtype, 3),
    }


def gates(*shape, dtype=F32, seed=5):
    return F.logsigmoid(normal(*shape, seed=seed).detach() + 2).to(dtype).requires_grad_()


@case
def chunk_gla_bf16():
    given = {**qkv(1, 70, 2, 32, 64, BF16), "gate": gates(1, 70, 2, 32)}
    return compare(lambda q, k, v, gate: chunk_gla(q, k, v, gate)[0], recurrence, given, depth=24, inner=BF16)


@case
def chunk_gla_f32_odd_widths():
    given = {**qkv(2, 37, 1, 40, 24, F32), "gate": gates(2, 37, 1, 40)}
    return compare(lambda q, k, v, gate: chunk_gla(q, k, v, gate)[0], recurrence, given, depth=24, inner=TF32)


@case
def fused_recurrent_gla_f32():
    given = {**qkv(1, 19, 2, 32, 24, F32), "gate": gates(1, 19, 2, 32)}
    return compare(lambda q, k, v, gate: fused_recurrent_gla(q, k, v, gate)[0], recurrence, given, depth=24)


@case
def chunk_simple_gla_bf16():
    given = {**qkv(1, 70, 2, 32, 64, BF16), "gate": gates(1, 70, 2)}
    return compare(lambda q, k, v, gate: chunk_simple_gla(q, k, v, gate)[0], recurrence, given, depth=24, inner=BF16)


@case
def fused_recurrent_simple_gla_f32():
    given = {**qkv(1, 19, 2, 32, 24, F32), "gate": gates(1, 19, 2)}
    return compare(lambda q, k, v, gate: fused_recurrent_simple_gla(q, k, v, gate)[0], recurrence, given, depth=24)


@case
def chunk_linear_attention_f16():
    return compare(
        lambda q, k, v: chunk_linear_attn(q, k, v, normalize=False)[0],
        recurrence,
        qkv(1, 70, 2, 32, 40, F16),
        depth=24,
        inner=F16,
    )


@case
def chunk_retention_f32():
    count = 2
    decay = (1 - 2.0 ** (-5 - torch.arange(count, dtype=torch.float64))).log()
    return compare(
        lambda q, k, v: chunk_retention(q, k, v)[0],
        lambda q, k, v: recurrence(q, k, v, decay.expand(q.shape[0], q.shape[1], count)),
        qkv(1, 70, count, 32, 64, F32),
        depth=24,
        inner=TF32,
    )


def rates(*shape, dtype, seed=6):
    return torch.sigmoid(normal(*shape, seed=seed).detach()).to(dtype).requires_grad_()


@case
def chunk_delta_rule_bf16():
    given = {**qkv(1, 70, 2, 32, 64, BF16, unit_keys=True), "beta": rates(1, 70, 2, dtype=BF16)}
    return compare(
        lambda q, k, v, beta: chunk_delta_rule(q, k, v, beta)[0],
        lambda q, k, v, beta: recurrence(q, k, v, None, beta),
        given,
        depth=64,
        inner=BF16,
    )


@case
def fused_recurrent_delta_rule_f32():
    given = {**qkv(1, 17, 2, 32, 40, F32, unit_keys=True), "beta": rates(1, 17, 2, dtype=F32)}
    return compare(
        lambda q, k, v, beta: fused_recurrent_delta_rule(q, k, v, beta)[0],
        lambda q, k, v, beta: recurrence(q, k, v, None, beta),
        given,
        depth=32,
    )


@case
def chunk_gated_delta_rule_bf16():
    given = {**qkv(1, 70, 2, 32, 64, BF16, unit_keys=True), "gate": gates(1, 70, 2), "beta": rates(1, 70, 2, dtype=BF16)}
    return compare(
        lambda q, k, v, gate, beta: chunk_gated_delta_rule(q, k, v, gate, beta)[0], recurrence, given, depth=64, inner=BF16
    )


@case
def fused_recurrent_gated_delta_rule_f32():
    given = {**qkv(1, 17, 2, 32, 40, F32, unit_keys=True), "gate": gates(1, 17, 2), "beta": rates(1, 17, 2, dtype=F32)}
    given = {name: value.detach() for name, value in given.items()}
    return compare(
        lambda q, k, v, gate, beta: fused_recurrent_gated_delta_rule(q, k, v, gate, beta=beta)[0],
        recurrence,
        given,
        depth=32,
    )


def plain_hgrn(x, g):
    state, outputs = torch.zeros_like(x[:, 0]), []
    for t in range(x.shape[1]):
        state = g[:, t].exp() * state + x[:, t]
        outputs.append(state)
    return torch.stack(outputs, 1)


@case
def fused_recurrent_hgrn_f32():
    return compare(
        lambda x, g: fused_recurrent_hgrn(x, g)[0], plain_hgrn, {"x": normal(2, 23, 72), "g": gates(2, 23, 72)}, depth=32
    )


@case
def chunk_hgrn_f32():
    return compare(lambda x, g: chunk_hgrn(x, g)[0], plain_hgrn, {"x": normal(1, 150, 40), "g": gates(1, 150, 40)}, depth=32)


@case
def chunk_kda_bf16():
    given = {**qkv(1, 70, 2, 32, 64, BF16, unit_keys=True), "gate": gates(1, 70, 2, 32), "beta": rates(1, 70, 2, dtype=BF16)}
    return compare(lambda q, k, v, gate, beta: chunk_kda(q, k, v, gate, beta)[0], recurrence, given, depth=64, inner=BF16)


@case
def fused_recurrent_linear_attention_f32():
    return compare(lambda q, k, v: fused_recurrent_linear_attn(q, k, v)[0], recurrence, qkv(1, 19, 2, 32, 24, F32), depth=24)


@case
def parallel_retention_bf16():
    count = 2
    decay = (1 - 2.0 ** (-5 - torch.arange(count, dtype=torch.float64))).log()
    return compare(
        lambda q, k, v: parallel_retention(q, k, v)[0],
        lambda q, k, v: recurrence(q, k, v, decay.expand(q.shape[0], q.shape[1], count)),
        qkv(1, 70, count, 32, 64, BF16),
        depth=24,
        inner=BF16,
    )


@case
def forgetting_attention_bf16():
    def plain(q, k, v, gate):
        summed = gate.cumsum(1).transpose(1, 2)
        score = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5 + summed[..., :, None] - summed[..., None, :]
        hidden = torch.ones(score.shape[-2:], dtype=torch.bool).triu(1)
        return torch.einsum("bhqk,bkhd->bqhd", score.masked_fill(hidden, float("-inf")).softmax(-1), v)

    given = {**qkv(1, 90, 2, 64, 64, BF16), "gate": gates(1, 90, 2)}
    return compare(lambda q, k, v, gate: parallel_forgetting_attn(q, k, v, gate), plain, given, depth=16, inner=BF16)
