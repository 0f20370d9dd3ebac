"""flash-linear-attention's attention forward, as Triton compiles it for sm_80, under rope-check.

The kernel has what tensor-core attention is made of (cp.async with zero fill, ldmatrix, mma, shuffles, ex2). Right
arguments: nothing is found and every output is within a derived bound of float64. A k that is a row short is found.
Usage: triton_attention.py ROPE_CHECK FOLDER
"""
import math
import os
import sys

import triton_environment

ROPE_CHECK, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
triton_environment.run_inside(FOLDER)

import numpy  # noqa: E402  (the environment has it)

from launch_case import (  # noqa: E402
    UNIT_ROUNDOFF, LaunchCase, check_close, check_healthy, check_read_past, rounded, run_cases)
from triton_kernel import compile_kernel, load_attention_kernels  # noqa: E402

SOURCES = os.path.join(triton_environment.source_folder(FOLDER), "fla", "ops")
TILE_Q, TILE_K = 128, 32  # the wrapper's choice for Ampere


def reference(q, k, v, scale, dtype):
    """Causal attention in float64: o [B,T,HQ,V] and lse [B,T,HQ] (base 2, as the kernel gives it) with their bounds.

    Scores: u_in is the relative error of an operand of the product (tf32 drops 13 bits of an f32; 16-bit types are
    exact), the sum of K products in f32 errs by K u, the two factors by 3 u; with S = scale sum |q k| a score errs by
    d = (2 u_in + (K + 3) u) S. Softmax: exp(score - maximum) has the error of two scores, of their difference (2 u) and
    of ex2.approx (2^-22), again for every tile that rescales; weights are rounded to the operands' type (u_w); sums of T
    terms err by T u. Numerator and denominator: twice that. The output is rounded once more."""
    single, wide = UNIT_ROUNDOFF["f32"], dtype == "f32"
    u_in = 2.0**-10 if wide else 0.0
    u_w = 2.0**-10 if wide else UNIT_ROUNDOFF[dtype]
    group = q.shape[2] // k.shape[2]
    heads_first = lambda a, repeat: numpy.repeat(a.astype(numpy.float64).transpose(0, 2, 1, 3), repeat, 1)
    q, k, v = heads_first(q, 1), heads_first(k, group), heads_first(v, group)
    tokens, width = q.shape[2:]
    causal = numpy.tril(numpy.ones((tokens, tokens), bool))
    score = numpy.where(causal, q @ k.swapaxes(2, 3) * scale, -numpy.inf)
    most = numpy.where(causal, abs(q) @ abs(k).swapaxes(2, 3) * scale, 0).max(-1, keepdims=True)
    maximum = score.max(-1, keepdims=True)
    weight = numpy.exp(score - maximum)
    total = weight.sum(-1, keepdims=True)
    o = weight @ v / total
    size = weight @ abs(v) / total
    d = (2 * u_in + (width + 3) * single) * most
    tiles = -(-tokens // TILE_K)
    relative = 2 * d + (tiles + 1) * (2 * single * most + 2.0**-22) + (tokens + 4) * single
    o_bound = 1.01 * (2 * relative + u_w + u_in) * size + UNIT_ROUNDOFF[dtype] * abs(o)
    lse = (maximum + numpy.log(total)) / math.log(2)
    lse_bound = (relative + d) / math.log(2) + 2.0**-21 * (1 + abs(lse))
    back = lambda a: a.transpose(0, 2, 1, 3)
    return back(o), back(o_bound), back(lse)[..., 0], back(lse_bound)[..., 0]


def launch(function, name, dtype, batch, tokens, heads, kv_heads, width, k_rows=None):
    """Runs the kernel on random q, k, v; k has `k_rows` rows [B * T], all of them unless fewer are asked for."""
    scale = width**-0.5
    kernel = compile_kernel(function, {
        "q": "*" + dtype, "k": "*" + dtype, "v": "*" + dtype, "o": "*" + dtype, "g_cumsum": None, "sink_bias": None,
        "lse": "*f32", "scale": scale, "cu_seqlens": None, "chunk_indices": None, "T": tokens, "W": None, "B": batch,
        "H": kv_heads, "HQ": heads, "G": heads // kv_heads, "K": width, "V": width, "BT": TILE_Q, "BS": TILE_K,
        "BK": width, "BV": width, "USE_G": False, "USE_SINK_BIAS": False, "USE_WINDOW": False, "IS_VARLEN": False,
    }, num_warps=4, num_stages=3)
    case = LaunchCase(os.path.join(FOLDER, "attention", name), kernel, [-(-tokens // TILE_Q), batch * heads, 1])
    random = numpy.random.default_rng(3)
    q = rounded(random.standard_normal((batch, tokens, heads, width)), dtype)
    k, v = (rounded(random.standard_normal((batch, tokens, kv_heads, width)), dtype) for _ in range(2))
    case.input("q", q, dtype)
    case.input("k", k if k_rows is None else k.reshape(-1, kv_heads, width)[:k_rows], dtype)
    case.input("v", v, dtype)
    case.output("o", q.shape, dtype)
    case.output("lse", q.shape[:3], "f32")
    code, report, outputs = case.run(ROPE_CHECK, {"scale": {"f32": scale}, "T": {"i32": tokens}})
    return code, report, outputs, reference(q, k, v, scale, dtype)


def healthy(function, name, options):
    code, report, outputs, (o, o_bound, lse, lse_bound) = launch(function, name, **options)
    check_healthy(code, report)
    used = check_close("o", outputs["o"], o, o_bound), check_close("lse", outputs["lse"], lse, lse_bound)
    print(f"  agrees: {used[0]:.2f} of the bound of o used, {used[1]:.2f} of lse's, {report['duration_s']:.3f} s")


def short_k(function):
    code, report, _, _ = launch(function, "short_k", "bf16", 1, 128, 2, 2, 64, k_rows=127)
    path = os.path.join(SOURCES, "attn", "parallel.py")
    check_read_past(code, report, "k", [127, 0, 0], path, "b_k = tl.load(")


HEALTHY = {
    "bf16": dict(dtype="bf16", batch=1, tokens=256, heads=2, kv_heads=2, width=64),
    "bf16_uneven_grouped": dict(dtype="bf16", batch=2, tokens=200, heads=4, kv_heads=2, width=64),
    "f16": dict(dtype="f16", batch=1, tokens=160, heads=2, kv_heads=1, width=128),
    "f32": dict(dtype="f32", batch=1, tokens=144, heads=2, kv_heads=2, width=64),
}


def main():
    function = load_attention_kernels(SOURCES, ["parallel_attn_fwd_kernel"])["parallel_attn_fwd_kernel"]
    cases = {"short_k": lambda: short_k(function)}
    for name, options in HEALTHY.items():
        cases[name] = lambda name=name, options=options: healthy(function, name, options)
    return run_cases(cases)


sys.exit(main())
