"""flash-linear-attention's rotary kernel, as Triton compiles it, under rope-check.

With the founding bug's arguments (tables as wide as the model given where head_dim was meant) it must be found out of
bounds, at its Python lines; with right arguments nothing is found and every output is within a derived bound of the
mathematics in float64. Usage: triton_rotary.py ROPE_CHECK FOLDER
"""
import os
import sys

import triton_environment

ROPE_CHECK, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
triton_environment.run_inside(FOLDER)

import numpy  # noqa: E402  (the environment has it)

from launch_case import UNIT_ROUNDOFF, LaunchCase, check_close, check_healthy, rounded, run_cases  # noqa: E402
from triton_kernel import compile_kernel, load_functions  # noqa: E402

SOURCE = os.path.join(triton_environment.source_folder(FOLDER), "fla", "modules", "rotary", "ops.py")
MULTIPROCESSORS = 132  # the wrapper's tile of tokens depends on them


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()


def tables(rows, width, dtype, theta=10000.0):
    """cos and sin [rows, width/2] of the RoFormer formula, rounded to `dtype`."""
    angle = numpy.arange(rows)[:, None] * theta ** (-2.0 * numpy.arange(width // 2) / width)
    return rounded(numpy.cos(angle), dtype), rounded(numpy.sin(angle), dtype)


def reference(x, cos, sin, positions, interleaved, conjugate):
    """Output and bound of the error, both of x's shape [B, T, H, D]. `positions`: table rows [B, T]; a row outside the
    table is not rotated but left alone, as the kernel's mask says.

    The kernel computes a*c - b*s in f32, with two or three roundings: |error| <= u (|a c| + |b s|) (products) +
    u |a c - b s| (sum) <= 2 u (|a c| + |b s|) and terms in u^2; then it rounds to the output's type."""
    half = cos.shape[1]
    valid = (positions >= 0) & (positions < cos.shape[0])
    row = numpy.where(valid, positions, 0)
    c = cos.astype(numpy.float64)[row][:, :, None, :]
    s = sin.astype(numpy.float64)[row][:, :, None, :] * (-1 if conjugate else 1)
    x = x.astype(numpy.float64)
    first = slice(0, 2 * half, 2) if interleaved else slice(0, half)
    second = slice(1, 2 * half, 2) if interleaved else slice(half, 2 * half)
    a, b = x[..., first], x[..., second]
    y, size = x.copy(), numpy.zeros_like(x)
    y[..., first], y[..., second] = a * c - b * s, a * s + b * c
    size[..., first], size[..., second] = abs(a * c) + abs(b * s), abs(a * s) + abs(b * c)
    y[~valid] = x[~valid]
    size[~valid] = 0
    return y, size


def bound_of(y, size, dtype):
    single = 2.1 * UNIT_ROUNDOFF["f32"] * size + 2.0**-149
    return single if dtype == "f32" else single + UNIT_ROUNDOFF[dtype] * (abs(y) + single)


class Rotary:
    """A call of the wrapper before it had its precondition: x [B,T,H,D], tables [rows, width/2], and what may be given."""

    def __init__(self, function, shape, width, rows, dtype, interleaved=False, conjugate=False, offset=0, offsets=None,
                 cu_seqlens=None):
        batch, tokens, heads, head_dim = shape
        self.shape, self.dtype, self.interleaved, self.conjugate = shape, dtype, interleaved, conjugate
        self.offset, self.offsets, self.cu_seqlens = offset, offsets, cu_seqlens
        self.tile = min(128, next_power_of_2(-(-tokens // MULTIPROCESSORS)))
        self.chunks = []
        if cu_seqlens:
            for n, (begin, end) in enumerate(zip(cu_seqlens, cu_seqlens[1:])):
                self.chunks += [[n, t] for t in range(-(-(end - begin) // self.tile))]
        blocks = len(self.chunks) if cu_seqlens else -(-tokens // self.tile)
        self.grid = [blocks, batch, heads]
        self.x = rounded(numpy.random.default_rng(1).standard_normal(shape), dtype)
        self.cos, self.sin = tables(rows, width, dtype)
        self.kernel = compile_kernel(function, {
            "x": "*" + dtype, "cos": "*" + dtype, "sin": "*" + dtype, "y": "*" + dtype,
            "cu_seqlens": "*i64" if cu_seqlens else None, "chunk_indices": "*i64" if cu_seqlens else None,
            "seq_offsets": offset if offsets is None else "*i32", "T": tokens, "B": batch, "H": heads, "D": head_dim,
            "R": width // 2, "TR": rows, "BT": self.tile, "BD": next_power_of_2(width),
            "IS_SEQLEN_OFFSETS_TENSOR": offsets is not None, "IS_VARLEN": bool(cu_seqlens),
            "INTERLEAVED": interleaved, "CONJUGATE": conjugate})

    def positions(self):
        """Table rows [B, T] of the tokens."""
        batch, tokens = self.shape[:2]
        if self.cu_seqlens:
            starts = zip(self.cu_seqlens, self.cu_seqlens[1:])
            offsets = self.offsets or [self.offset] * (len(self.cu_seqlens) - 1)
            return numpy.concatenate([numpy.arange(e - b) + o for (b, e), o in zip(starts, offsets)])[None, :]
        offsets = numpy.array(self.offsets or [self.offset] * batch)
        return numpy.arange(tokens)[None, :] + offsets[:, None]

    def run(self, name):
        case = LaunchCase(os.path.join(FOLDER, "rotary", name), self.kernel, self.grid)
        case.input("x", self.x, self.dtype)
        case.input("cos", self.cos, self.dtype)
        case.input("sin", self.sin, self.dtype)
        case.output("y", self.shape, self.dtype, {"file": "x.npy"})  # the wrapper copies what is not rotated
        if self.cu_seqlens:
            case.input("cu_seqlens", numpy.array(self.cu_seqlens, numpy.int64), "i64")
            case.input("chunk_indices", numpy.array(self.chunks, numpy.int64), "i64")
        scalars = {"T": {"i32": self.shape[1]}, "seq_offsets": {"i32": self.offset}}
        if self.offsets is not None:
            case.input("seq_offsets", numpy.array(self.offsets, numpy.int32), "i32")
            del scalars["seq_offsets"]
        return case.run(ROPE_CHECK, scalars)


def line_of(text):
    """The line of the kernel (the first of such) that holds `text`."""
    with open(SOURCE) as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return number
    raise LookupError(text)


def founding_bug(function):
    """Tables of the model's width 8 * 64 = 512 given for heads of 64: the last token's heads run past the end."""
    shape = (2, 128, 8, 64)
    code, report, _ = Rotary(function, shape, width=512, rows=128, dtype="f32").run("founding_bug")
    assert code == 1, code
    # Element r of head h in the last token lies h * 64 + r - 512 past the end; the kernel moves r < 256 by its first
    # load and store, the others by the second.
    past = {0: sum(max(0, 64 * h - 256) for h in range(8)), 1: sum(64 * h for h in range(8))}
    past[1] -= past[0]
    locations = [("out-of-bounds-read", "x", "b_x0 = tl.load(", 0), ("out-of-bounds-read", "x", "b_x1 = tl.load(", 1),
              ("out-of-bounds-write", "y", "tl.store(p_y, b_o0", 0), ("out-of-bounds-write", "y", "tl.store(p_y + R", 1)]
    for rule, tensor, text, half in locations:
        line = line_of(text)
        found = [f for f in report["findings"] if f["rule"] == rule and f["location"]["line"] == line]
        assert len(found) == 1, f"{rule} at line {line}: {len(found)} findings"
        finding, access = found[0], found[0]["access"]
        assert finding["location"]["file"].endswith("fla/modules/rotary/ops.py"), finding["location"]
        assert access["tensor"] == tensor and tuple(access["shape"]) == shape, access
        assert access["index"] == [2, 0, 0, 0] and access["bytes_past_end"] == 0, access
        elements = finding["occurrences"]["accesses"] * access["bytes"] // 4
        counts_all = not finding["occurrences"].get("at_least")  # else of the first blocks alone
        assert elements == past[half] or (not counts_all and past[half] // 4 < elements < past[half]), \
            f"{elements} elements, {past[half]} lie past the end"
        assert finding["cause"]["id"] == "model-width-for-head-dim", finding["cause"]
        print(f"  {rule} of {tensor} at line {line}, {elements} elements: {finding['cause']['text']}")


HEALTHY = {
    "half_f32": dict(shape=(2, 128, 8, 64), width=64, rows=128, dtype="f32"),
    "half_bf16": dict(shape=(2, 128, 8, 64), width=64, rows=128, dtype="bf16"),
    "interleaved_f32": dict(shape=(2, 128, 8, 64), width=64, rows=128, dtype="f32", interleaved=True),
    "interleaved_bf16": dict(shape=(2, 128, 8, 64), width=64, rows=128, dtype="bf16", interleaved=True),
    "part_of_a_head_f16": dict(shape=(1, 200, 3, 96), width=48, rows=256, dtype="f16", offset=7),
    "conjugate_f32": dict(shape=(2, 50, 4, 64), width=64, rows=64, dtype="f32", conjugate=True, offset=1),
    "offsets_bf16": dict(shape=(3, 40, 4, 64), width=64, rows=64, dtype="bf16", offsets=[0, 24, -5]),
    "varlen_f32": dict(shape=(1, 150, 4, 64), width=64, rows=128, dtype="f32", cu_seqlens=[0, 37, 38, 150]),
    "varlen_offsets_bf16": dict(shape=(1, 150, 4, 64), width=64, rows=128, dtype="bf16", cu_seqlens=[0, 37, 38, 150],
                                offsets=[11, 127, 0], interleaved=True),
}


def healthy(function, name, options):
    rotary = Rotary(function, **options)
    code, report, outputs = rotary.run(name)
    check_healthy(code, report)
    y, size = reference(rotary.x, rotary.cos, rotary.sin, rotary.positions(), rotary.interleaved, rotary.conjugate)
    used = check_close("y", outputs["y"], y, bound_of(y, size, rotary.dtype))
    assert numpy.any(outputs["y"] != rotary.x), "nothing was rotated"
    print(f"  agrees: {used:.2f} of the bound used, {report['duration_s']:.3f} s")


def main():
    function = load_functions(SOURCE, ["rotary_embedding_kernel"])["rotary_embedding_kernel"]
    cases = {"founding_bug": lambda: founding_bug(function)}
    for name, options in HEALTHY.items():
        cases[name] = lambda name=name, options=options: healthy(function, name, options)
    return run_cases(cases)


sys.exit(main())
