"""Launchers of vLLM's Triton kernels; their sources alone, without vLLM's compiled code."""

import types

import torch
import triton
import triton.language as tl

from . import environment
from .cases import case, normal
from .judge import compare
from .partial_import import bare_packages, stand_ins
from .plain import attention, mrope_tables, rotated

bare_packages(
    environment.root_of("vllm"),
    "vllm",
    "vllm.v1",
    "vllm.v1.attention",
    "vllm.v1.attention.ops",
    "vllm.model_executor",
    "vllm.model_executor.layers",
    "vllm.model_executor.layers.rotary_embedding",
    "vllm.models",
    "vllm.models.minimax_m3",
    "vllm.models.minimax_m3.amd",
    "vllm.models.minimax_m3.amd.ops",
)
_PLATFORM = types.SimpleNamespace(
    is_rocm=lambda: False,
    is_cuda=lambda: True,
    is_cuda_alike=lambda: True,
    is_xpu=lambda: False,
    is_arch_support_pdl=lambda: False,
    is_cpu=lambda: False,
    fp8_dtype=lambda: torch.float8_e4m3fn,
    get_device_capability=lambda *_: types.SimpleNamespace(major=8, minor=0),
    has_device_capability=lambda wanted, *_: (wanted if isinstance(wanted, int) else wanted[0] * 10 + wanted[1]) <= 80,
    is_device_capability=lambda *_: False,
    is_device_capability_family=lambda *_: False,
)
stand_ins(
    {
        "vllm.triton_utils": {"triton": triton, "tl": tl, "HAS_TRITON": True, "LOG2E": 1.4426950408889634},
        "vllm.platforms": {"current_platform": _PLATFORM},
        "vllm.logger": {},
        "vllm.envs": {},
        "vllm._custom_ops": {},
        "vllm.utils": {},
        "vllm.utils.math_utils": {"RCP_LN2": 1.4426950408889634, "round_up": lambda n, step: -(-n // step) * step},
        "vllm.v1.kv_cache_interface": {},
        "vllm.model_executor.layers.quantization": {},
        "vllm.utils.torch_utils": {},
        "vllm.model_executor.layers.rotary_embedding.base": {"RotaryEmbeddingBase": object},
        "vllm.model_executor.layers.rotary_embedding.yarn_scaling_rope": {"YaRNScalingRotaryEmbedding": object},
    }
)

from vllm.model_executor.layers.rotary_embedding.mrope import triton_mrope  # noqa: E402
from vllm.models.minimax_m3.amd.ops.index_topk import minimax_m3_index_decode  # noqa: E402
from vllm.v1.attention.ops.triton_decode_attention import decode_attention_fwd  # noqa: E402
from vllm.v1.attention.ops.triton_merge_attn_states import merge_attn_states  # noqa: E402
from vllm.v1.attention.ops.triton_prefill_attention import context_attention_fwd  # noqa: E402

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
TF32 = 2.0**-10


def mrope(tokens, heads, kv_heads, width, turned, sections, dtype, interleaved=False, neox=True):
    cos, sin = mrope_tables(tokens, width=turned // 2, dtype=dtype)
    axis = torch.zeros(turned // 2, dtype=torch.long)  # whose position each column takes
    if interleaved:
        axis[1 : sections[1] * 3 : 3], axis[2 : sections[2] * 3 : 3] = 1, 2
    else:
        axis[sections[0] : sections[0] + sections[1]], axis[sections[0] + sections[1] :] = 1, 2
    chosen = lambda table: table[axis, :, torch.arange(turned // 2)].T[:, None]
    plain = lambda x: rotated(x.unflatten(-1, (-1, width)), chosen(cos), chosen(sin), not neox).flatten(-2)
    return compare(
        lambda q, k: triton_mrope(q.clone(), k.clone(), cos, sin, sections, width, turned, interleaved, neox),
        lambda q, k: (plain(q), plain(k)),
        {
            "q": normal(tokens, heads * width, dtype=dtype, grad=False),
            "k": normal(tokens, kv_heads * width, dtype=dtype, grad=False, seed=2),
        },
        inner=dtype,
    )


@case
def mrope_bf16():
    return mrope(11, 4, 2, 64, 64, [8, 12, 12], BF16)


@case
def mrope_f32_interleaved():
    return mrope(7, 3, 1, 96, 96, [16, 16, 16], F32, interleaved=True)


@case
def mrope_f16_partial():
    return mrope(9, 6, 3, 128, 64, [12, 10, 10], F16)


@case
def mrope_bf16_pairs():
    return mrope(5, 4, 4, 64, 64, [8, 12, 12], BF16, neox=False)


def prefill(lengths, heads, kv_heads, width, dtype, causal=True):
    starts = torch.tensor([sum(lengths[:n]) for n in range(len(lengths))], dtype=torch.int32)
    lengths_of = torch.tensor(lengths, dtype=torch.int32)

    def wrapper(q, k, v):
        o = torch.empty_like(q)
        context_attention_fwd(q, k, v, o, starts, lengths_of, max(lengths), is_causal=causal)
        return o

    plain = lambda q, k, v: torch.cat(
        [attention(*parts, causal) for parts in zip(*(one.split(lengths) for one in (q, k, v)))]
    )
    total = sum(lengths)
    return compare(
        wrapper,
        plain,
        {
            name: normal(total, count, width, dtype=dtype, seed=seed, grad=False)
            for seed, (name, count) in enumerate((("q", heads), ("k", kv_heads), ("v", kv_heads)))
        },
        depth=16,
        inner=TF32 if dtype == F32 else dtype,
    )


@case
def prefill_bf16():
    return prefill([37, 5, 130], 4, 2, 64, BF16)


@case
def prefill_f16_odd_width():
    return prefill([19, 70], 3, 1, 80, F16)


@case
def prefill_f32_full():
    return prefill([45, 1, 33], 2, 2, 32, F32, causal=False)


def decode(lengths, heads, kv_heads, width, dtype, page=1, splits=4):
    """One query for each sequence; keys and values in pages that a table names."""
    generator = torch.Generator("cuda").manual_seed(7)
    pages_of = [-(-length // page) for length in lengths]
    total = sum(pages_of) + 2
    order = torch.randperm(total, generator=generator).int()
    table = torch.zeros(len(lengths), max(pages_of), dtype=torch.int32)
    for n, count in enumerate(pages_of):
        table[n, :count] = order[sum(pages_of[:n]) : sum(pages_of[:n]) + count]
    seen = torch.tensor(lengths, dtype=torch.int32)

    def wrapper(q, k, v):
        o, lse = torch.empty_like(q), torch.empty(q.shape[:2])
        partial = torch.empty(q.shape[0], heads, splits, width + 1)
        decode_attention_fwd(
            q, k, v, o, lse, table, seen, partial, splits, width**-0.5, page, k_scale=torch.ones(1), v_scale=torch.ones(1)
        )
        return o

    def plain(q, k, v):
        rows = [
            table[n, torch.arange(length) // page] * page + torch.arange(length) % page for n, length in enumerate(lengths)
        ]
        flat_k, flat_v = (one.reshape(-1, kv_heads, width) for one in (k, v))
        return torch.cat(
            [attention(q[n : n + 1], flat_k[one.long()], flat_v[one.long()], False) for n, one in enumerate(rows)]
        )

    shape = (total, page, kv_heads, width) if page > 1 else (total, kv_heads, width)
    return compare(
        wrapper,
        plain,
        {
            "q": normal(len(lengths), heads, width, dtype=dtype, grad=False),
            "k": normal(*shape, dtype=dtype, grad=False, seed=2),
            "v": normal(*shape, dtype=dtype, grad=False, seed=3),
        },
        depth=16,
        inner=TF32 if dtype == F32 else dtype,
    )


@case
def decode_of_as_many_heads_bf16():
    return decode([37, 5, 130], 4, 4, 64, BF16)


@case
def decode_of_as_many_heads_f16_pages():
    return decode([19, 70, 3], 3, 3, 80, F16, page=16)


@case
def decode_grouped_bf16():
    return decode([45, 1, 100], 8, 2, 64, BF16, page=16)


@case
def decode_grouped_f32():
    return decode([33, 21], 6, 2, 32, F32)


@case
def merge_states():
    def wrapper(a, b, first, second):
        out, lse = torch.empty_like(a), torch.empty_like(first)
        merge_attn_states(out, a, first, b, second, lse)
        return out, lse

    def plain(a, b, first, second):
        total = torch.logaddexp(first, second)
        share = lambda one: (one - total).exp().T[..., None]
        return a * share(first) + b * share(second), total

    return compare(
        wrapper,
        plain,
        {
            "a": normal(7, 3, 80, grad=False),
            "b": normal(7, 3, 80, grad=False, seed=2),
            "first": normal(3, 7, grad=False, seed=5),
            "second": normal(3, 7, grad=False, seed=6),
        },
    )


@case
def blocks_with_the_largest_scores():
    """Each block of the selector leaves its best in memory, and the one that comes last merges them (acquire and release)."""
    blocks, width, best, tokens = 1100, 16, 8, 1100 * 128 - 37
    table = torch.randperm(blocks, generator=torch.Generator("cuda").manual_seed(5)).int()[None]

    def wrapper(q, cache):
        lengths = torch.tensor([tokens], dtype=torch.int32)
        chosen = minimax_m3_index_decode(q, cache, table, lengths, tokens, best, 0, 0, 1, 1, 1)
        return chosen.sort(-1).values

    def plain(q, cache):
        score = torch.einsum("bpd,d->bp", cache[table[0].long()], q[0, 0]).flatten()
        score[tokens:] = float("-inf")
        return score.view(blocks, 128).max(1).values.topk(best).indices.int().sort().values[None, None]

    given = {"q": normal(1, 1, width, grad=False), "cache": normal(blocks, 128, width, grad=False, seed=2)}
    return compare(wrapper, plain, given)
