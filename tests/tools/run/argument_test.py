#!/usr/bin/env python3
"""rope-check run, and arguments that calls refuse (argument_programs.cu): NAME does wrong what NAME-right does right.

Usage: argument_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, root

source = root / "tests/tools/run/argument_programs.cu"
program = build_of(source, "arguments", "-cudart", "shared", "-g", "-lcuda", "-L/usr/local/cuda/lib64/stubs")


def run(name, *options):
    return Ran([program], name, *options)


taken, invalid, device = "cudaSuccess\n", "cudaErrorInvalidValue\n", "cudaErrorInvalidDevice\n"
run("symbols").prints(4 * "cudaErrorInvalidMemcpyDirection\n")
run("symbols-right").prints(4 * taken)
run("sizes").prints(2 * device + 5 * invalid)
run("sizes-right").prints(7 * taken)
run("parameters").prints("1 1\n")
run("parameters-right").is_clean(2, "0 0\n")
ran = run("captured").prints("cudaErrorInvalidConfiguration\n" + invalid + 4 * taken)
ran.expect([rule for rule, line in ran.findings] == 2 * ["launch-limit"], f"finds {ran.findings}")
run("captured-right").is_clean(2, 6 * taken)
run("advice").prints(3 * invalid + 2 * device + 3 * invalid)
run("advice-right").prints(8 * taken)
run("ranges-right").prints("1 0 0\n-1 -2 0 2\n0 0 -2 -2 -2\n")

finish()
