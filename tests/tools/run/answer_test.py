#!/usr/bin/env python3
"""rope-check run, and what calls answer (answer_programs.cu): NAME does wrong what NAME-right does right.

Usage: answer_test.py ROOT PROGRAM
"""
import pathlib

from running import Ran, build_of, finish, root, rope_check

source = root / "tests/tools/run/answer_programs.cu"
program = build_of(source, "answers", "-cudart", "shared", "-g", "-lcuda", "-L/usr/local/cuda/lib64/stubs")


def run(name, *options):
    return Ran([program], name, *options)


INVALID = "cudaErrorInvalidValue\n"
run("codes").is_clean(1, f"3\n201\ncudaSuccess\ncudaErrorPeerAccessUnsupported\n{INVALID}cudaSuccess\n{INVALID}cudaSuccess\n"
                         f"{INVALID}cudaSuccess\n")
run("memory", "--memory", "1G").is_clean(1, "cudaSuccess\n1\ncudaErrorMemoryAllocation\ncudaSuccess\n1\n")
run("pool").is_clean(2, "4096 4096 33554432 0 4096 0 80 80\n")
run("multiprocessors").is_clean(1, "108 6 6\n")
run("multiprocessors", "--target", "sm_90").is_clean(1, "132 6 6\n")
run("captures").is_clean(1, "cudaSuccess\n1 1 1\n1 1 0 1\n7 910 1\n1\n")

# Nodes with events, and the lines of calls whose streams do not wait.
run("event-node-right").is_clean(2, "1 0\ncudaSuccess\n")
ran = run("event-node").says("answer_programs.cu")
ran.expect([rule for rule, line in ran.findings] == ["stream-race"] and ran.findings[0][1] > 0, f"finds {ran.findings}")

# What nobody knows is refused.
invalid, taken = "cudaErrorInvalidValue\n", "cudaSuccess\n"
run("refusals", "--devices", "2").prints(5 * invalid + taken + invalid + "1 1 0\n")
run("refusals-right", "--devices", "2").prints(7 * taken + "0 0 0 1\n")

# What is known of both versions of the runtime.
libraries = pathlib.Path(rope_check).resolve().parent.parent / "lib/virtual"
for library, sizes, function in (("libcudart.so.12", "Configuration", "DeviceFunction"),
                                 ("libcudart.so.13", "Value", "ResourceHandle")):
    answers = ["Success", *(6 * [sizes]), "Value", function, "DeviceFunction", function, "PitchValue", "Value"]
    answers = [f"cudaErrorInvalid{one}" if one != "Success" else "cudaSuccess" for one in answers]
    Ran([program, "versions"], libraries / library).prints("".join(one + "\n" for one in answers))

# As an H100 answers (driver 580, CUDA 13.0).
run("by-name").prints("0 1 0\n0 0 1\n0 0 2\n0 1 0\n")
SETTINGS = "1\n{0}{1}{0}cudaSuccess\n12 {2}\n6\n{0}cudaSuccess\n49152\n"
run("settings", "--target", "sm_90").prints(SETTINGS.format(INVALID, "cudaErrorUnsupportedLimit\n", 32768000))
run("settings").prints(SETTINGS.format(INVALID, "cudaSuccess\n", 31457280))
run("undefined-function").prints("218 0 999\n")
run("undefined-function-right").prints("0 0\n")
run("ends-of-captures").prints("cudaErrorStreamCaptureUnmatched\ncudaErrorStreamCaptureInvalidated\n"
                               "cudaErrorStreamCaptureWrongThread\ncudaErrorIllegalState\n")

# A function that is not there, and a program that ends with an error for that.
run("gives-up").finds(code=9).says("not run: cudaArrayGetInfo")
run("gives-up-right").is_clean(1).says("note: cudaArrayGetInfo is not there")

# Long names are whole in JSON alone.
ran = run("long-name").says("fill_long<...>\n")
ran.expect("unsigned long" in ran.report["findings"][0]["kernel"]["name"], "is short in JSON")
run("long-name-right").is_clean(1)

finish()
