#!/usr/bin/env python3
"""rope-check run, and what programs map and share (memory_programs.cu): NAME does wrong what NAME-right does right.

Usage: memory_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, read_lines, root

source = root / "tests/tools/run/memory_programs.cu"
read_lines(source)
program = build_of(source, "memory", "-cudart", "shared", "-lcuda", "-L/usr/local/cuda/lib64/stubs")


def run(name, *options):
    return Ran([program], name, *options)


# What is mapped holds what is written there, from launch to launch; of handles, not of addresses, is the memory that leaks.
run("mapped-arrays-right", "--leaks").is_clean(1, "1 6 1 2097152\n")
run("mapped-arrays", "--leaks").finds(("uninitialized-read", "add"), ("uninitialized-read", "add"), "memory-leak")

# Past what is mapped, between mappings, and without access; copies, too.
run("segment-right", "--leaks").is_clean(4, "1048576 0\n")
run("segment").finds(("illegal-address", "fill")).prints("0 700\n")
run("far-right").is_clean(2, "cudaSuccess\n")
run("far").finds(("illegal-address", "count")).prints("cudaErrorIllegalAddress\n")
run("copied-gap-right").is_clean(1, "31 0\n")
run("copied-gap").finds("illegal-address").says("nothing is mapped at byte 4194304").prints("0 1\n")
run("unmapped-right").is_clean(2)
run("unmapped").finds(("illegal-address", "increase"))
run("mapped-again-right").is_clean(3)
run("mapped-again").finds(("uninitialized-read", "increase"))
run("alias-right", "--leaks").is_clean(3, "1 31 3 1\n")
run("alias", "--leaks").finds(("uninitialized-read", "increase")).says("argument0[524319]")
run("mapped-peer-right", "--devices", "2").is_clean(2)
run("mapped-peer", "--devices", "2").finds(("illegal-address", "increase")).says(
    "device 1 has no access to what is mapped at byte 0")

# Calls that are refused, and frees of what is none of theirs.
run("mapped-misuse-right", "--leaks").finds(code=0).prints("1 101 801 2 1 801 801 1 1 \n")
run("mapped-misuse").finds("invalid-free", "invalid-free", "invalid-free").prints("1 101 801 2 1 801 801 1 1 1 1 1\n")

# A context takes what was made in it with it.
run("destroyed-context-right", "--leaks").is_clean(4, "1 1 709 400 400 201 201 0\n")
run("destroyed-context", "--leaks").finds(("use-after-free", "increase"), "double-free").prints(
    "1 1 709 400 400 201 201 1\n").says("the destruction of its context")

# Memory of another process.
run("shared-memory-right").is_clean(2, "31\n")
run("shared-memory").finds(("uninitialized-read", "increase"))
run("shared-handle-right", "--leaks").is_clean(3, "1 31 1\n201 131\n")
run("shared-handle").finds(("uninitialized-read", "increase"), ("out-of-bounds-write", "fill"))

finish()
