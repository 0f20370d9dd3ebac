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
ran = run("parameters").prints("1 0\n").says("the buffer of arguments has 8 bytes and those of the kernel take 12")
ran.expect([rule for rule, line in ran.findings] == ["uninitialized-read"], f"finds {ran.findings}")
run("parameters-right").is_clean(2, "0 0\n")
ran = run("captured").prints(invalid + 2 * "cudaErrorStreamCaptureInvalidated\n" + 2 * invalid + taken)
ran.expect([rule for rule, line in ran.findings] == ["launch-limit"], f"finds {ran.findings}")
run("captured-right").is_clean(2, 6 * taken)
run("advice").prints(3 * invalid + device + 5 * invalid)
run("advice-right").prints(9 * taken)
run("ranges-right").prints("1 0 0\n-1 -2 0 2\n0 0 -2 -2 -2\n")

# A pointer to a function that is the host's, and one to a function of the device.
for name, words in (("callee", "where no function of the device is"), ("callee-null", "calls a null pointer to a function")):
    ran = run(name).prints("cudaErrorIllegalAddress\n").says(words)
    ran.expect([rule for rule, line in ran.findings] == ["illegal-address"] and ran.findings[0][1] > 0, f"finds {ran.findings}")
run("callee-right").is_clean(1, taken)

finish()
