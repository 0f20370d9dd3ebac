#!/usr/bin/env python3
"""rope-check run on copies of programs (copy_programs.cu), and on what Python calls by ctypes.

Usage: copy_test.py ROOT PROGRAM
"""
import subprocess
import sys

from running import Ran, build_of, finish, folder, lines, read_lines, root

source = root / "tests/tools/run/copy_programs.cu"
read_lines(source)
program = build_of(source, "copies", "-cudart", "shared", "-g")
has_cuda_13 = "release 12." not in subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout


def run(name, *options):
    return Ran([program], name, *options)


# The first byte that is not there, in pages of which the third is missing.
for name, place, byte in (("to-missing", "to missing", 8092), ("from-missing", "from missing", 8192),
                          ("rows-to-missing", "rows", 8192 - 8192 % 160 + 32)):
    run(f"{name}-right").finds(code=0).prints("cudaSuccess\n")
    ran = run(name).finds(("illegal-address", place)).prints("cudaErrorInvalidValue\n")
    ran.says(f"in memory of the host, where what lies from byte {byte} on is not mapped")
run("both-ends-right").is_clean(1, "cudaSuccess\n")
run("both-ends").finds(("out-of-bounds-read", "both ends"), ("out-of-bounds-write", "both ends")).prints("cudaErrorInvalidValue\n")
run("register-right").prints("cudaSuccess\n").finds(code=3)
run("register").prints("cudaErrorInvalidValue\n").finds(code=3)

if has_cuda_13:
    refused = 2 * "cudaErrorInvalidValue\n"
    run("batch-right").finds(code=0).prints(2 * "cudaSuccess\n" + refused + "35\n")
    ran = run("batch").finds(("out-of-bounds-write", "batch"))
    ran.says("cudaMemcpyBatchAsync")
    run("batch-of-volumes-right").is_clean(1, 2 * "cudaSuccess\n" + "10 21 50\n" + 2 * refused)
    run("batch-of-volumes").finds(("out-of-bounds-write", "volumes")).says("cudaMemcpy3DBatchAsync")
    run("batch-of-prefetches").prints("cudaSuccess\n0\n-1\n" + refused + "cudaErrorInvalidValue\n")
    run("pool-right").is_clean(1).prints("cudaSuccess\n1\ncudaSuccess\ncudaErrorMemoryAllocation\ncudaSuccess\n")
    run("pool").prints("cudaErrorInvalidValue\n").finds(code=3)
run("nodes-right").finds(code=0).prints("cudaSuccess\n3 2\n")
run("nodes").finds(("out-of-bounds-read", "nodes")).says("a node of the graph, added by cudaGraphAddMemcpyNode at").says(
    f"launched at (anonymous namespace)::run_nodes(bool) ({source}:{lines['launched']}")
for name, line, call in (("captured-fill", "first fill", "cudaMemsetAsync"), ("added-fill", "second fill", "cudaGraphAddMemsetNode")):
    run(f"{name}-right").finds(code=0)
    run(name).finds(("out-of-bounds-write", line)).says(f"a node of the graph, added by {call} at")
run("cancel").finds(code=0).prints("9\n")

# Each call of a program in Python stands in a line of its own.
script = folder / "program.py"
script.write_text(f"""import ctypes
sys = runtime = ctypes.CDLL("libcudart.so.{13 if has_cuda_13 else 12}")
address, host = ctypes.c_void_p(), (ctypes.c_float * 100)()
runtime.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(200))
runtime.cudaMemcpy(address, host, ctypes.c_size_t(200), 1)
runtime.cudaMemcpy(address, host, ctypes.c_size_t(204), 1)
runtime.cudaFree(address)
runtime.cudaFree(address)
assert sys is runtime
""")
lines.update({"ctypes copy": 6, "ctypes free": 8})
Ran([sys.executable], script).finds(("out-of-bounds-write", "ctypes copy"), ("double-free", "ctypes free"))
finish()
