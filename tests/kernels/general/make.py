#!/usr/bin/env python3
"""Writes the launch files of this folder, and expected.json: what rope-check must say about each of them.

Run after a change of a kernel (kernels/build_ptx.sh makes the PTX); with --check nothing is written, and the files that
would change are named. A launch without findings has a healthy kernel, and its outputs are expected to be right; the
others are its faulty variants. Lines are looked up by their text.
"""
import json
import math
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
expected = {}
stale = []


def write(name, text):
    file = here / name
    if "--check" not in sys.argv:
        file.write_text(text)
    elif not file.exists() or file.read_text() != text:
        stale.append(name)


def line(source, text, nth=0):
    """The line of `source` (a file of this folder) that has `text` in it."""
    lines = (here / source).read_text().splitlines()
    return [n + 1 for n, one in enumerate(lines) if text in one][nth]


def launch(source, entry, grid, block, tensors, args, findings=(), expect=None, name=None, **more):
    """One launch file, and the findings that must be among those reported (none: there must be none)."""
    name = name or entry
    body = {"schema": "ropewalk.launch/1", "ptx": source.replace(".cu", ".ptx"), "entry": entry, "grid": grid,
            "block": block, "tensors": tensors, "args": args, **more}
    if expect:
        body["expect"] = expect
    write(f"{name}.json", json.dumps(body) + "\n")
    expected[name] = {"exit": 1 if findings else 0, "findings": [{"file": source, **f} for f in findings]}


def tensor(dtype, *shape, init="uninitialized", **more):
    return {"dtype": dtype, "shape": list(shape), "init": init, **more}


def output(dtype, *shape, **more):
    return tensor(dtype, *shape, output=True, **more)


def values(numbers):
    return {"values": list(numbers)}


def exactly(numbers):
    return {"out": {"values": list(numbers), "atol": 0, "rtol": 0}}


def named(*names):
    return [{"tensor": name} for name in names]


def mismatch(tensor_name, **more):
    # A finding about a whole output stands at the entry; its line is that of the macro's use.
    return {"rule": "output-mismatch", "tensor": tensor_name, **more}


def reduce():
    source, count, blocks = "reduce.cu", 1000, 4
    x = [(n * 7) % 31 - 15 for n in range(count)]
    tensors = {"x": tensor("f32", count, init=values(x)), "out": output("f32", blocks)}
    right = exactly(sum(x[256 * b:256 * b + 256]) for b in range(blocks))
    adding = line(source, "partial[thread] += ")

    def case(entry, *findings):
        launch(source, entry, [blocks, 1, 1], [256, 1, 1], tensors, named("x", "out") + [{"i32": count}], findings, right)

    case("sum_blocks")
    case("sum_blocks_missing_barrier", {"rule": "shared-race", "line": adding})
    case("sum_blocks_off_by_one", {"rule": "out-of-bounds-read", "tensor": "x", "line": line(source, "index <= count"),
                                   "byte_offset": 4 * count, "bytes_past_end": 0})
    case("sum_blocks_barrier_in_branch", {"rule": "barrier-divergence", "line": line(source, "== BarrierInBranch)")})
    case("sum_blocks_unset_tail", {"rule": "uninitialized-read", "line": adding})


def transpose():
    source, rows, columns = "transpose.cu", 40, 50
    tensors = {"x": tensor("f32", rows, columns, init={"arange": {"start": 0, "step": 1}}),
               "out": output("f32", columns, rows)}
    right = exactly(r * columns + c for c in range(columns) for r in range(rows))

    def case(entry, *findings):
        launch(source, entry, [2, 2, 1], [32, 8, 1], tensors, named("x", "out") + [{"i32": rows}, {"i32": columns}],
               findings, right)

    writing = line(source, "out[turned * stride + row] =")
    case("transpose")
    case("transpose_missing_barrier", {"rule": "shared-race"})
    case("transpose_missing_mask", {"rule": "out-of-bounds-read", "tensor": "x", "line": line(source, "== MissingMask")})
    case("transpose_past_the_tile", {"rule": "out-of-bounds-read"}, {"rule": "output-mismatch", "tensor": "out"})
    case("transpose_wrong_stride", {"rule": "out-of-bounds-write", "tensor": "out", "line": writing}, mismatch("out"))


def scan():
    source, count = "scan.cu", 300
    x = [(n * 5) % 13 + 1 for n in range(count)]
    tensors = {"x": tensor("i32", count, init=values(x)), "out": output("i32", count)}
    right = exactly(sum(x[n // 256 * 256:n + 1]) for n in range(count))

    def case(entry, *findings):
        launch(source, entry, [2, 1, 1], [256, 1, 1], tensors, named("x", "out") + [{"i32": count}], findings, right)

    case("scan_blocks")
    case("scan_blocks_missing_barrier", {"rule": "shared-race"})
    case("scan_blocks_inactive_lane", {"rule": "inactive-lane-read", "line": line(source, "__shfl_down_sync(__activemask()")})
    case("scan_blocks_exclusive", mismatch("out", index=[0]))


def histogram():
    source, count = "histogram.cu", 1000
    x = [(n * n + 3 * n) % 64 for n in range(count)]
    right = exactly(x.count(v) for v in range(64))

    def case(entry, *findings, data=x):
        tensors = {"x": tensor("i32", count, init=values(data)), "out": output("i32", 64, init="zeros")}
        launch(source, entry, [3, 1, 1], [128, 1, 1], tensors, named("x", "out") + [{"i32": count}], findings,
               right if data is x else None)

    case("histogram")
    case("histogram_plain_shared", {"rule": "shared-race", "line": line(source, "bins[value] += 1")})
    case("histogram_plain_global", {"rule": "global-race", "tensor": "out",
                                    "line": line(source, "out[threadIdx.x] += bins")})
    case("histogram_unset_bins", {"rule": "uninitialized-read"})
    case("histogram_unguarded_value",
         {"rule": "out-of-bounds-write", "line": line(source, "atomicAdd(&bins[value], 1)")},
         data=[64 if n == 777 else v for n, v in enumerate(x)])


def matmul():
    source, M, N, K = "matmul.cu", 32, 64, 48
    a = [n % 7 - 3 for n in range(M * K)]
    b = [n % 5 - 2 for n in range(K * N)]
    right = {"c": {"values": [sum(a[m * K + k] * b[k * N + n] for k in range(K)) for m in range(M) for n in range(N)],
                   "atol": 0, "rtol": 0}}

    def case(entry, dtype, *findings):
        tensors = {"a": tensor(dtype, M, K, init=values(a)), "b": tensor(dtype, K, N, init=values(b)),
                   "c": output("f32", M, N)}
        launch(source, entry, [N // 32, M // 16, 1], [128, 1, 1], tensors,
               named("a", "b", "c") + [{"i32": K}, {"i32": N}], findings, right)

    case("matmul_f16", "f16")
    case("matmul_bf16", "bf16")
    case("matmul_bf16_missing_barrier", "bf16", {"rule": "shared-race"})
    case("matmul_bf16_missing_transpose", "bf16", mismatch("c"))
    case("matmul_bf16_step_too_far", "bf16",
         {"rule": "out-of-bounds-read", "tensor": "a", "line": line(source, "a_tile[n / 16][n % 16] =")},
         {"rule": "out-of-bounds-read", "tensor": "b", "line": line(source, "b_tile[n / 32][n % 32] =")})


def pipeline():
    source, rows = "pipeline.cu", 5
    x = [(n * 3) % 11 - 5 for n in range(rows * 512)]
    tensors = {"x": tensor("f32", rows, 512, init=values(x)), "out": output("f32", 512)}
    right = exactly(sum(x[r * 512 + i] * x[r * 512 + 511 - i] for r in range(rows)) for i in range(512))
    reading = line(source, "sum[j] += ")

    def case(entry, *findings):
        launch(source, entry, [1, 1, 1], [128, 1, 1], tensors, named("x", "out") + [{"i32": rows}], findings, right)

    case("sum_products")
    case("sum_products_missing_wait", {"rule": "uninitialized-read", "line": reading})
    case("sum_products_wait_for_one_less", {"rule": "uninitialized-read", "line": reading})
    case("sum_products_missing_barrier", {"rule": "shared-race"})
    case("sum_products_overwritten_early", {"rule": "shared-race"})


def blur():
    source, count = "blur.cu", 160
    x = [(n * 9) % 17 for n in range(count)]
    mean = [(x[n - 1] + 2 * x[n] + x[n + 1]) / 4 if 0 < n < count - 1 else x[n] for n in range(count)]
    apart = {"x": tensor("f32", count, init=values(x)), "out": output("f32", count)}
    arguments = named("x", "out") + [{"i32": count}]
    wide = line(source, "* 0.25f;", 1)
    launch(source, "blur", [3, 1, 1], [64, 1, 1], apart, arguments, expect=exactly(mean))
    launch(source, "blur", [3, 1, 1], [64, 1, 1], {"x": apart["x"]}, named("x", "x") + [{"i32": count}],
           [{"rule": "global-race", "tensor": "x", "line": line(source, "out[index] = end")}], name="blur_in_place")
    launch(source, "blur", [2, 1, 1], [64, 1, 1], apart, arguments, [{"rule": "output-not-written", "tensor": "out"}],
           name="blur_too_few_blocks")
    launch(source, "blur_without_ends", [3, 1, 1], [64, 1, 1], apart, arguments, [
        {"rule": "out-of-bounds-read", "tensor": "x", "line": wide}])
    four = {"x": tensor("f32", count + 4, init=values(x + [0] * 4)), "out": output("f32", count)}
    launch(source, "copy_four", [1, 1, 1], [64, 1, 1], four, arguments, expect=exactly(x))
    launch(source, "copy_four", [1, 1, 1], [64, 1, 1], four,
           [{"tensor": "x", "offset_elements": 1}, {"tensor": "out"}, {"i32": count}],
           [{"rule": "misaligned-access", "tensor": "x", "line": line(source, "reinterpret_cast<float4*>")}],
           name="copy_four_misaligned")
    launch(source, "blur", [3, 65536, 1], [64, 1, 1], apart, arguments, [{"rule": "launch-limit"}],
           name="blur_too_many_blocks")
    del expected["blur_too_many_blocks"]["findings"][0]["file"]  # about the launch, not about a line


def softmax():
    source, rows = "softmax.cu", 8
    x = [(n * 37) % 801 / 8 for n in range(rows * 64)]
    parts = [[math.exp(v - max(x[r * 64:r * 64 + 64])) for v in x[r * 64:r * 64 + 64]] for r in range(rows)]
    # exp is right to 2 units (4 u), the sum adds 7 u to that, the division 1 u: 16 u = 2^-20; differences are exact here.
    right = {"out": {"values": [p / math.fsum(row) for row in parts for p in row], "rtol": 2**-20, "atol": 2**-126}}
    tensors = {"x": tensor("f32", rows, 64, init=values(x)), "out": output("f32", rows, 64, finite=True)}

    def case(entry, *findings):
        launch(source, entry, [rows // 4, 1, 1], [32, 4, 1], tensors, named("x", "out"), findings, right)

    case("softmax")
    case("softmax_missing_maximum", {"rule": "nonfinite-origin", "line": line(source, "expf(first - largest)")})
    case("softmax_half_of_the_warp", mismatch("out"))


def fill():
    source, rows, columns = "fill.cu", 60000, 40000
    tensors = {"out": output("f32", rows, columns)}
    sample = {"blocks": {"sample": 8, "seed": 1}}
    launch(source, "fill_rows", [rows, 1, 1], [128, 1, 1], tensors, named("out") + [{"i32": columns}], **sample)
    launch(source, "fill_rows_int", [rows, 1, 1], [128, 1, 1], tensors, named("out") + [{"i32": columns}], [
        {"rule": "index-overflow", "tensor": "out"},  # nvcc takes the product out of the loop, to a line of its choice
        {"rule": "out-of-bounds-write", "tensor": "out", "line": line(source, "out[row * columns + column] =")}], **sample)


def attention():
    """The kernel of tests/bench, on few tokens. Scores are exact here: whole numbers, and a scale of 1/8."""
    source, heads, tokens = "../../bench/attention_f32.cu", 2, 50
    draw = lambda n, step: [(i * step) % 5 - 2 for i in range(n)]
    count = heads * tokens * 64
    q, k, v = draw(count, 7), draw(count, 3), draw(count, 11)
    # At most 50 sums, two rescalings of 5 roundings each, 4 of the exponential, as much again for the total, and a
    # division: below 128 u of the largest |v| = 2.
    within = {"atol": 128 * 2**-24 * 2, "rtol": 0}

    def answer(causal):
        for h in range(heads):
            row = lambda x, i: x[(h * tokens + i) * 64:(h * tokens + i + 1) * 64]
            for i in range(tokens):
                scores = [sum(a * b for a, b in zip(row(q, i), row(k, j))) / 8 for j in range(i + 1 if causal else tokens)]
                parts = [math.exp(s - max(scores)) for s in scores]
                for c in range(64):
                    yield math.fsum(p * row(v, j)[c] for j, p in enumerate(parts)) / math.fsum(parts)

    for causal in (0, 1):
        tensors = {n: tensor("f32", heads, tokens, 64, init=values(x)) for n, x in (("q", q), ("k", k), ("v", v))}
        tensors["out"] = output("f32", heads, tokens, 64, finite=True)
        launch(source, "attention_f32", [13, heads, 1], [32, 4, 1], tensors,
               named("q", "k", "v", "out") + [{"i32": tokens}, {"f32": 0.125}, {"i32": causal}],
               expect={"out": {"values": [round(x, 9) for x in answer(causal)], **within}},
               name=f"attention_f32{'_causal' if causal else ''}")


for make in (reduce, transpose, scan, histogram, matmul, pipeline, blur, softmax, fill,
             attention):
    make()
write("expected.json", json.dumps(expected, indent=1) + "\n")
for name in stale:
    print(f"stale: {name}, write it again with {pathlib.Path(__file__).name}")
sys.exit(bool(stale))
