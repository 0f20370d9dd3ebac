"""mamba-ssm's Triton kernels: state space duality in chunks, single steps, gated norms."""

import torch
import torch.nn.functional as F

from . import environment
from .cases import case, normal
from .judge import compare
from .partial_import import bare_packages, stand_ins
from .plain import rms

bare_packages(environment.root_of("mamba_ssm"), "mamba_ssm", "mamba_ssm.ops", "mamba_ssm.ops.triton", "mamba_ssm.utils")
stand_ins({"causal_conv1d": {}})

from mamba_ssm.ops.triton.layernorm_gated import layernorm_fn, rmsnorm_fn  # noqa: E402
from mamba_ssm.ops.triton.selective_state_update import selective_state_update  # noqa: E402
from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined  # noqa: E402

BF16, F32 = torch.bfloat16, torch.float32
TF32 = 2.0**-10


def scan(x, dt, a, b, c, d=None):
    """y of the states S = exp(dt a) S + dt b x, token by token: x [B,T,H,P], dt [B,T,H], a [H], b and c [B,T,G,N]."""
    group = x.shape[2] // b.shape[2]
    b, c = b.repeat_interleave(group, 2), c.repeat_interleave(group, 2)
    state, outputs = x.new_zeros(x.shape[0], x.shape[2], x.shape[3], b.shape[3]), []
    for t in range(x.shape[1]):
        step = dt[:, t, :, None, None]
        state = (step * a[:, None, None]).exp() * state + step * x[:, t, :, :, None] * b[:, t, :, None]
        outputs.append(torch.einsum("bhpn,bhn->bhp", state, c[:, t]))
    y = torch.stack(outputs, 1)
    return y if d is None else y + x * d[:, None]


def chunk_scan(batch, tokens, heads, width, groups, states, chunk, dtype, skip=False):
    given = {
        "x": normal(batch, tokens, heads, width, dtype=dtype),
        "dt": F.softplus(normal(batch, tokens, heads, seed=2).detach() - 1).to(dtype).requires_grad_(),
        "a": (-normal(heads, seed=3).detach().exp()).requires_grad_(),
        "b": normal(batch, tokens, groups, states, dtype=dtype, seed=4),
        "c": normal(batch, tokens, groups, states, dtype=dtype, seed=5),
    }
    if skip:
        given["d"] = normal(heads, seed=6)
    return compare(
        lambda x, dt, a, b, c, d=None: mamba_chunk_scan_combined(x, dt, a, b, c, chunk, D=d),
        scan,
        given,
        depth=48,
        inner=TF32 if dtype == F32 else dtype,
    )


@case
def chunk_scan_f32():
    return chunk_scan(1, 70, 2, 32, 1, 16, 32, F32)


@case
def chunk_scan_bf16_skip():
    return chunk_scan(1, 45, 4, 48, 2, 32, 32, BF16, skip=True)


@case
def selective_step():
    batch, heads, width, states = 3, 2, 40, 24
    given = {
        "state": normal(batch, heads, width, states, grad=False),
        "x": normal(batch, heads, width, grad=False, seed=2),
        "dt": normal(batch, heads, width, grad=False, seed=3),
        "a": -normal(heads, width, states, grad=False, seed=4).exp(),
        "b": normal(batch, 1, states, grad=False, seed=5),
        "c": normal(batch, 1, states, grad=False, seed=6),
        "d": normal(heads, width, grad=False, seed=7),
        "z": normal(batch, heads, width, grad=False, seed=8),
        "bias": normal(heads, width, grad=False, seed=9),
    }

    def wrapper(state, x, dt, a, b, c, d, z, bias):
        state = state.clone()
        return selective_state_update(state, x, dt, a, b, c, d, z, bias, dt_softplus=True), state

    def plain(state, x, dt, a, b, c, d, z, bias):
        dt = F.softplus(dt + bias)[..., None]
        state = state * (dt * a).exp() + dt * b[:, :, None] * x[..., None]
        return ((state * c[:, :, None]).sum(-1) + x * d) * F.silu(z), state

    return compare(wrapper, plain, given)


@case
def gated_rms_norm_f32():
    return compare(
        lambda x, weight, z: rmsnorm_fn(x, weight, None, z=z, group_size=48, norm_before_gate=False),
        lambda x, weight, z: rms((x * F.silu(z)).unflatten(-1, (-1, 48))).flatten(-2) * weight,
        {"x": normal(2, 9, 96), "weight": normal(96, seed=2), "z": normal(2, 9, 96, seed=3)},
    )


@case
def gated_layer_norm_bf16():
    return compare(
        lambda x, weight, bias, z: layernorm_fn(x, weight, bias, z=z),
        lambda x, weight, bias, z: F.layer_norm(x, x.shape[-1:], weight, bias, 1e-6) * F.silu(z),
        {
            "x": normal(11, 200, dtype=BF16),
            "weight": normal(200, seed=2, dtype=BF16),
            "bias": normal(200, seed=3, dtype=BF16),
            "z": normal(11, 200, seed=4, dtype=BF16),
        },
        inner=BF16,
    )
