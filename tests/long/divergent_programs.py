#!/usr/bin/env python3
"""Random programs whose lanes part ways, on the machine and on the host.

    divergent_programs.py ROPE_CHECK FOLDER [PROGRAMS] [SEED]

Each program has loops with break and continue, switches with arms that fall through, early returns, and calls of a
function that returns out of a loop. The same source is compiled for the host, by whose numbers the machine's are judged:
every value must be equal, and nothing may be found. Optimised and debug builds in turn. Exits 77 without nvcc."""

import json
import os
import random
import shutil
import subprocess
import sys

KERNELS, THREADS, ROWS = 12, 96, 9
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

HEAD = """
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#include <cstdio>
#define BOTH
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#endif
typedef unsigned u;
BOTH __noinline__ u scramble(u p, u q) {
  u r = p;
  for (u i = 0; i < (q & 7u); ++i) {
    r = r * 33u + i;
    if ((r & 15u) == 3u) return r ^ q;
  }
  return r;
}
"""


class Program:
    """The body of one kernel: statements on a, b, c, d, e, an array of the thread's own, and a column of the output."""

    def __init__(self, rng):
        self.rng = rng
        self.loops = 0

    def variable(self):
        return self.rng.choice("abcde")

    def leaf(self):
        kind = self.rng.random()
        if kind < 0.45:
            return self.variable()
        if kind < 0.6:
            return "t"
        if kind < 0.75:
            return f"x[{self.variable()} & 63u]"
        if kind < 0.9:
            return f"own[{self.variable()} & 7u]"
        return self.rng.choice(["0u", "1u", "5u", "31u", "255u", "65535u", "0x80000000u", "0xffffffffu"])

    def value(self, depth=2):
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf()
        one, other = self.value(depth - 1), self.value(depth - 1)
        return self.rng.choice([
            f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} ^ {other})",
            f"({one} & {other})", f"({one} | {other})", f"({one} << ({other} & 31u))", f"({one} >> ({other} & 31u))",
            f"({one} / ({other} | 1u))", f"({one} % ({other} | 1u))", f"(u)((int){one} >> (int)({other} & 31u))",
            f"(u)(((unsigned long long){one} * {other}) >> {self.rng.randint(1, 60)})",
            f"({self.condition(depth - 1)} ? {one} : {other})", f"scramble({one}, {other})", f"(u)(short)({one})"])

    def condition(self, depth=1):
        sign = self.rng.choice(["<", ">", "==", "!=", "<=", ">="])
        plain = f"({self.value(depth)} {sign} {self.value(depth)})"
        return self.rng.choice([plain, f"({self.value(depth)} & {self.rng.choice([1, 3, 7])}u)"])

    def block(self, depth, in_loop):
        return "\n".join(self.statement(depth, in_loop) for _ in range(self.rng.randint(1, 3)))

    def loop(self, depth):
        self.loops += 1
        i = f"i{self.loops}"
        body = "if (--fuel < 0) break;\n" + self.block(depth + 1, True)
        form = self.rng.randrange(3)
        if form == 0:
            return f"for (u {i} = 0; {i} < ({self.value(1)} & {self.rng.choice([3, 7, 15])}u); ++{i}) {{\n{body}\n}}"
        if form == 1:
            return f"{{ u {i} = 0; while ({i}++ < 9u && {self.condition()}) {{\n{body}\n}} }}"
        return f"{{ u {i} = 0; do {{\n{body}\n}} while ({i}++ < 5u && {self.condition()}); }}"

    def switch(self, depth, in_loop):
        arms = self.rng.sample(range(8), self.rng.randint(2, 6))
        text = f"switch ({self.value(1)} & 7u) {{\n"
        for arm in arms:
            leaves = "break;" if self.rng.random() < 0.7 else ""
            text += f"case {arm}: {{ {self.block(depth + 1, False)} }} {leaves}\n"
        return text + (f"default: {{ {self.block(depth + 1, False)} }}\n" if self.rng.random() < 0.5 else "") + "}"

    def statement(self, depth, in_loop):
        kind = self.rng.random() if depth < 4 else self.rng.random() * 0.45
        if kind < 0.3:
            return f"{self.variable()} = {self.value()};"
        if kind < 0.38:
            return f"own[{self.value(1)} & 7u] = {self.value(1)};"
        if kind < 0.45:
            return f"out[({self.variable()} & 7u) * {THREADS}u + t] += {self.value(1)};"
        if kind < 0.65:
            other = f" else {{\n{self.block(depth + 1, in_loop)}\n}}" if self.rng.random() < 0.5 else ""
            return f"if ({self.condition()}) {{\n{self.block(depth + 1, in_loop)}\n}}{other}"
        if kind < 0.8:
            return self.loop(depth)
        if kind < 0.9:
            return self.switch(depth, in_loop)
        if kind < 0.96 and in_loop:
            return f"if ({self.condition()}) {self.rng.choice(['break', 'continue'])};"
        return f"if ({self.condition()}) {{ out[{ROWS - 1}u * {THREADS}u + t] = a ^ b ^ c; return; }}"

    def text(self, name):
        how = self.rng.choice(["__forceinline__", "__noinline__"])
        body = "\n".join(self.statement(0, False) for _ in range(4))
        return f"""BOTH {how} void {name}(const u* x, u* out, u t) {{
  u a = x[t & 63u], b = t * 3u, c = x[(t * 7u) & 63u], d = 1, e = t ^ 5u, own[8];
  int fuel = 200;
  for (u j = 0; j < 8; ++j) own[j] = j * t;
{body}
  for (u j = 0; j < 8; ++j) e = e * 31u + own[j];
  out[{ROWS - 1}u * {THREADS}u + t] = a + b * 3u + c * 5u + d * 7u + e;
}}
"""


def input_values():
    return [n if n < 20 else n * 2654435761 % 2**32 for n in range(64)]


def source_of(seed):
    rng = random.Random(seed)
    text = HEAD + "".join(Program(rng).text(f"body{n}") for n in range(KERNELS))
    for n in range(KERNELS):
        text += (f"#ifdef __CUDACC__\nextern \"C\" __global__ void kernel{n}(const u* x, u* out) "
                 f"{{ body{n}(x, out, blockIdx.x * blockDim.x + threadIdx.x); }}\n#endif\n")
    calls = "".join(f"  print(body{n}, x);\n" for n in range(KERNELS))
    values = ", ".join(f"{value}u" for value in input_values())
    return text + f"""#ifndef __CUDACC__
void print(void (*body)(const u*, u*, u), const u* x) {{
  static u out[{ROWS * THREADS}];
  for (u& value : out) value = 0;
  for (u t = 0; t < {THREADS}; ++t) body(x, out, t);
  for (u value : out) printf("%u ", value);
  printf("\\n");
}}
int main() {{
  const u x[64] = {{{values}}};
{calls}}}
#endif
"""


def launch_of(n, expected):
    tensor = {"dtype": "u32", "shape": [ROWS, THREADS], "output": True, "init": "zeros"}
    return {"schema": "ropewalk.launch/1", "ptx": "program.ptx", "entry": f"kernel{n}", "grid": [2, 1, 1],
            "block": [THREADS // 2, 1, 1],
            "tensors": {"x": {"dtype": "u32", "shape": [64], "init": {"values": input_values()}}, "out": tensor},
            "args": [{"tensor": "x"}, {"tensor": "out"}], "expect": {"out": {"values": expected}}}


def wrong_kernels(rope_check, folder, seed, options):
    """How many kernels of one program are wrong; their files stay under `folder`."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "program.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source_of(seed))
    host = os.path.join(folder, "host")
    subprocess.run(["g++", "-O1", "-w", "-fwrapv", "-x", "c++", path, "-o", host], check=True)
    subprocess.run([NVCC, "-w", "-ptx", "-arch=sm_80", *options, path, "-o", os.path.join(folder, "program.ptx")],
                   check=True)
    lines = subprocess.run([host], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    wrong = 0
    for n, line in enumerate(lines):
        launch = os.path.join(folder, f"kernel{n}.json")
        with open(launch, "w", encoding="utf-8") as file:
            json.dump(launch_of(n, [int(value) for value in line.split()]), file)
        result = subprocess.run([rope_check, "launch", launch], capture_output=True, text=True)
        if result.returncode == 0:
            os.remove(launch)
            continue
        wrong += 1
        print(f"seed {seed} {' '.join(options)}, {launch}: exit {result.returncode}\n{result.stdout[:600]}{result.stderr[:300]}")
    return wrong


def main():
    rope_check, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    programs = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    if not os.access(NVCC, os.X_OK):
        print("skipped: no nvcc")
        return 77
    wrong = 0
    for seed in range(first, first + programs):
        options = ["-G"] if seed % 4 == 0 else ["-lineinfo"]
        name = os.path.join(folder, f"seed{seed}")
        found = wrong_kernels(rope_check, name, seed, options)
        if not found:
            shutil.rmtree(name)
        wrong += found
    print(f"{programs} programs of {KERNELS} kernels: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
