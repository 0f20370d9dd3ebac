#!/usr/bin/env python3
"""rope-check run on kernels that store what nobody wrote in memory of the device (deferred_programs.cu): that matters where
somebody uses it, and then the store is the defect.

Usage: deferred_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, read_lines, root

source = root / "tests/tools/run/deferred_programs.cu"
read_lines(source)
read_lines(root / "tests/tools/run/messages.cuh")
LINES = {"spill": "spill", "hand_over": "message", "in_place": "in place", "sum": "sum", "pair": "add", "bits": "bits", "pixels": "pixels", "number": "number",
         "table": "table", "print": "print"}
EVIDENCE = {"copy": "the value is copied to the host by cudaMemcpy at show", "device_copy": "the value is copied to the host by cudaMemcpy at show",
            "kernel": "the value is read by launch 1 of twice at deferred_programs.cu:", "branch": "the value is read by launch 1 of branch at deferred_programs.cu:",
            "in_place": "nothing reads allocation 1 (512 bytes, cudaMalloc) afterwards", "result": "nothing reads allocation 1 (512 bytes, cudaMalloc) afterwards",
            "sum": "nothing reads allocation 2 (512 bytes, cudaMalloc) afterwards"}

for kind, options in (("optimised", []), ("for_a_debugger", ["-G"])):
    program = build_of(source, kind, "-cudart", "shared", *options)
    for what in ("copy", "kernel", "branch", "device_copy", "overwritten", "result", "spill", "hand_over", "in_place", "sum", "pair",
                 "bits", "pixels", "number", "table", "print"):
        right = Ran([program], f"{what}-right")
        right.expect(right.code == 0 and not right.findings, "is not clean")
        wrong = Ran([program], f"{what}-wrong").says(EVIDENCE.get(what, ""))
        found = [("uninitialized-read", LINES.get(what, "fill"))]
        # A pair is read member by member there, and with the number its padding is what nobody wrote.
        if (what, kind) == ("pair", "for_a_debugger"):
            found.append(("uninitialized-read", "whole pair"))
        wrong.finds(*found)
        counts = wrong.report["summary"]
        wrong.expect(counts["passed"] < counts["cases"], "says that all launches passed")
    # The host may know that it is given what nobody wrote.
    words = "copies allocation 2 (512 bytes, cudaMalloc) to the host, of which nobody wrote byte 508"
    Ran([program], "tail-wrong").is_clean(2).says(words)
    right = Ran([program], "tail-right").is_clean(2)
    right.expect("nobody wrote" not in right.errors, "says that something was not written")
finish()
