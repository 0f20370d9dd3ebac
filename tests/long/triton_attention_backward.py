"""flash-linear-attention's attention backward (dq; dk and dv), as Triton compiles it for sm_80, under rope-check.

Right arguments: nothing is found and every gradient is within a derived bound of float64. A tensor that is a row short
is found, with the row and the Python line.
Usage: triton_attention_backward.py ROPE_CHECK FOLDER
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
TILE_OTHER = 32  # rows of the other side, the wrapper's choice for Ampere
LOG2E = 1 / math.log(2)


def heads_first(values, repeat=1):
    return numpy.repeat(values.astype(numpy.float64).transpose(0, 2, 1, 3), repeat, 1)


def tokens_first(values):
    return values.transpose(0, 2, 1, 3)


class Problem:
    """Random q, k, v and do, and what the forward saves for them: lse in base 2 and delta, [B,T,HQ], as f32 has them."""

    def __init__(self, dtype, batch, tokens, heads, kv_heads, width):
        self.dtype, self.batch, self.tokens, self.heads, self.kv_heads = dtype, batch, tokens, heads, kv_heads
        self.width, self.scale, self.group = width, width**-0.5, heads // kv_heads
        random = numpy.random.default_rng(5)
        of_heads = lambda count: rounded(random.standard_normal((batch, tokens, count, width)), dtype)
        self.q, self.do, self.k, self.v = of_heads(heads), of_heads(heads), of_heads(kv_heads), of_heads(kv_heads)
        self.seen = numpy.tril(numpy.ones((tokens, tokens), bool))
        score = numpy.where(self.seen, self.scores(), -numpy.inf)
        most = score.max(-1, keepdims=True)
        weight = numpy.exp2(score - most)
        total = weight.sum(-1, keepdims=True)
        o = weight / total @ heads_first(self.v, self.group)
        self.lse = (most + numpy.log2(total))[..., 0].transpose(0, 2, 1).astype(numpy.float32)
        self.delta = (o * heads_first(self.do)).sum(-1).transpose(0, 2, 1).astype(numpy.float32)

    def scores(self, of=lambda values: values):
        """In base 2."""
        return of(heads_first(self.q)) @ of(heads_first(self.k, self.group)).swapaxes(2, 3) * (self.scale * LOG2E)

    def gradients(self):
        """dq, dk and dv by head of q, [B,T,HQ,width], in float64 from what the kernels are given, each with its bound.

        u is the unit roundoff of f32, u_in the relative error of an operand of a product (tf32 drops 13 bits of an f32;
        16-bit types are exact), u_w that of a weight that is rounded to the operands' type. Tensor cores sum n products
        with less than 4 n u (Fasi, Higham, Mikaitis and Pranesh, 2021). With S = sum |q k| a score errs by
        d = (2 u_in + (4 K + 4) u) S, where the kernel's own log2(e) has 9 digits; a weight p = 2^(score - lse) by the
        relative e = 2^(d + u (|score| + |score - lse|)) - 1 + 2^-22 (ex2.approx); the pull g.v - delta by
        f = (2 u_in + 4 V u) |g| |v| + 2 u |pull|; ds = p pull by p (e (|pull| + f) + f + u |pull|). Sums of T terms have
        their terms' errors, and (u_w + 2 u_in + 4 T u) of their sizes; the store rounds once more."""
        u, wide = UNIT_ROUNDOFF["f32"], self.dtype == "f32"
        u_in, u_w = (2.0**-10, 0.0) if wide else (0.0, UNIT_ROUNDOFF[self.dtype])
        least = 2.0**-25 if self.dtype == "f16" else 0.0  # of a ds or p that f16 has no normal number for
        q, g = heads_first(self.q), heads_first(self.do)
        k, v = heads_first(self.k, self.group), heads_first(self.v, self.group)
        by_row = lambda values: values.astype(numpy.float64).transpose(0, 2, 1)[..., None]
        lse, delta = by_row(self.lse), by_row(self.delta)
        score, d = self.scores(), (2 * u_in + (4 * self.width + 4) * u) * self.scores(abs)
        p = numpy.where(self.seen, numpy.exp2(numpy.where(self.seen, score - lse, 0)), 0)
        e = numpy.expm1(math.log(2) * (d + u * (abs(score) + abs(score - lse)))) + 2.0**-22
        pull = g @ v.swapaxes(2, 3) - delta
        f = (2 * u_in + 4 * self.width * u) * (abs(g) @ abs(v).swapaxes(2, 3)) + 2 * u * abs(pull)
        ds, ds_error = p * pull, p * (e * (abs(pull) + f) + f + u * abs(pull))
        stored = UNIT_ROUNDOFF[self.dtype if self.heads == self.kv_heads else "f32"]

        def summed(terms, errors, others, factor):
            value, size = factor * (terms @ others), factor * ((abs(terms) + errors) @ abs(others))
            bound = factor * ((errors + least) @ abs(others))
            bound += (u_w + 2 * u_in + (4 * self.tokens + 2) * u) * size
            return tokens_first(value), tokens_first(1.01 * bound + stored * abs(value) + 2.0**-126)

        turned = lambda values: values.swapaxes(2, 3)
        return {"dq": summed(ds, ds_error, k, self.scale), "dk": summed(turned(ds), turned(ds_error), q, self.scale),
                "dv": summed(turned(p), turned(p * e), g, 1.0)}


def launch(kernels, name, outputs, problem, short=None):
    """Runs the kernel that gives these outputs; `short` names an input that is one row short."""
    p = problem
    own = 128 if p.width <= 64 else 64
    names = {"dq": "parallel_attn_bwd_kernel_dq", "dk": "parallel_attn_bwd_kernel_dkv"}
    of_gradients = p.dtype if p.heads == p.kv_heads else "f32"
    pointers = {tensor: "*" + p.dtype for tensor in ("q", "k", "v", "do")}
    pointers.update({tensor: "*f32" for tensor in ("lse", "delta")})
    pointers.update({tensor: "*" + of_gradients for tensor in outputs})
    kernel = compile_kernel(kernels[names[outputs[0]]], {
        **pointers, "g_cumsum": None, "dg_cumsum": None, "cu_seqlens": None, "chunk_indices": None, "scale": p.scale,
        "T": p.tokens, "W": None, "B": p.batch, "H": p.kv_heads, "HQ": p.heads, "G": p.group, "K": p.width,
        "V": p.width, "BT": own, "BS": TILE_OTHER, "BK": p.width, "BV": p.width, "USE_G": False, "USE_WINDOW": False,
        "IS_VARLEN": False,
    }, num_warps=4, num_stages=3)
    grid = [-(-p.tokens // own), p.batch * p.heads, 1]
    case = LaunchCase(os.path.join(FOLDER, "attention_backward", name), kernel, grid)
    for tensor in ("q", "k", "v", "do", "lse", "delta"):
        values = getattr(p, tensor)
        if tensor == short:
            values = values.reshape(-1, *values.shape[2:])[:-1]
        case.input(tensor, values, pointers[tensor][1:])
    for tensor in outputs:
        case.output(tensor, p.q.shape, of_gradients)
    return case.run(ROPE_CHECK, {"scale": {"f32": p.scale}, "T": {"i32": p.tokens}})


def healthy(kernels, name, outputs, options):
    problem = Problem(**options)
    code, report, got = launch(kernels, name, outputs, problem)
    check_healthy(code, report)
    expected = problem.gradients()
    used = [f"{check_close(one, got[one], *expected[one]):.2f} of the bound of {one} used" for one in outputs]
    print(f"  agrees: {', '.join(used)}, {report['duration_s']:.3f} s")


def one_row_short(kernels, name, outputs, short, source_line):
    problem = Problem("bf16", 1, 128, 2, 2, 64)
    code, report, _ = launch(kernels, name, outputs, problem, short)
    path = os.path.join(SOURCES, "attn", "parallel.py")
    check_read_past(code, report, short, [127, 0, 0], path, source_line)


SHAPES = {
    "bf16": dict(dtype="bf16", batch=1, tokens=256, heads=2, kv_heads=2, width=64),
    "bf16_uneven_grouped": dict(dtype="bf16", batch=2, tokens=200, heads=4, kv_heads=2, width=64),
    "f16": dict(dtype="f16", batch=1, tokens=160, heads=2, kv_heads=1, width=128),
    "f32": dict(dtype="f32", batch=1, tokens=144, heads=2, kv_heads=2, width=64),
}


def main():
    kernels = load_attention_kernels(SOURCES, ["parallel_attn_bwd_kernel_dq", "parallel_attn_bwd_kernel_dkv"])
    cases = {
        "dq_short_k": lambda: one_row_short(kernels, "dq_short_k", ["dq"], "k", "b_k = tl.load("),
        "dkv_short_do": lambda: one_row_short(kernels, "dkv_short_do", ["dk", "dv"], "do", "b_do = tl.load("),
    }
    for shape, options in SHAPES.items():
        for outputs in (["dq"], ["dk", "dv"]):
            name = "_".join(outputs + [shape])
            cases[name] = lambda name=name, outputs=outputs, options=options: healthy(kernels, name, outputs, options)
    return run_cases(cases)


sys.exit(main())
