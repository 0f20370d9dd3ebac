#!/usr/bin/env python3
"""The samples of NVIDIA/compute-sanitizer-samples under rope-check run: what NVIDIA's documentation of its tools shows for
each is found at its line, optimised (-lineinfo) and as debug build (-G), and nothing else.

Usage: sanitizer_samples.py ROPE_CHECK. ROPEWALK_SANITIZER_SAMPLES is a checkout of the repository. Ends with 77 (skipped)
without it or without nvcc."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Of each source the findings, with words of their lines; None: no line of a kernel.
EXPECTED = {
    "Memcheck/memcheck_demo.cu": [("misaligned-access", "(char*)&x + 1"), ("out-of-bounds-write", "0x87654320"),
                                  ("memory-leak", None)],
    "Initcheck/memset_error.cu": [("uninitialized-read", "v[tx] += tx")],
    "Racecheck/block_error.cu": [("shared-race", "*sum_out += smem[i]")],
    "Racecheck/warp_error.cu": [("shared-race", "smem_second[wx] += smem_first")],
    "Synccheck/illegal_syncwarp.cu": [("inactive-lane-read", "__syncwarp(mask)")],
    # data_in is never written. That the last barrier is left out by threads that only end behind it is not shown: they
    # cannot be told from those that return early.
    "Synccheck/divergent_threads.cu": [("uninitialized-read", "smem[tx] += data_in[offset]")],
    "Suppressions/suppressions_initcheck_demo.cu": [("uninitialized-read", "b[tid] = a[tid] * 2"),
                                                    ("memory-leak", None)],
}


def findings_of(rope_check, program, folder):
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    # As the samples' own Makefiles call compute-sanitizer.
    subprocess.run([rope_check, "run", "--quiet", "--leaks", "--destroy-on-device-error", "kernel", "--report", report, "--", program],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    return [(finding["rule"], (finding["location"] or {}).get("line"))
            for finding in json.loads(report.read_text())["findings"]]


def judge(rope_check, source, expected, options, folder):
    program = folder / "program"
    subprocess.run(["nvcc", "-cudart", "shared", "-arch=sm_80", *options, "-o", program, source], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = source.read_text().splitlines()
    wanted = [(rule, None if words is None else 1 + next(n for n, line in enumerate(lines) if words in line))
              for rule, words in expected]
    found = findings_of(rope_check, program, folder)
    if set(found) == set(wanted):
        return True
    print(f"{source.name} {' '.join(options)}: found {found}, expected {wanted}")
    return False


def main():
    os.environ["PATH"] += ":/usr/local/cuda/bin"
    samples = os.environ.get("ROPEWALK_SANITIZER_SAMPLES")
    if not samples or not shutil.which("nvcc"):
        print("skipped: ROPEWALK_SANITIZER_SAMPLES is not set" if not samples else "skipped: nvcc is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        right = [judge(sys.argv[1], pathlib.Path(samples) / source, expected, options, pathlib.Path(folder))
                 for source, expected in EXPECTED.items() for options in (["-lineinfo"], ["-G"])]
    print(f"{sum(right)} of {len(right)} are as expected")
    return 0 if all(right) else 1


sys.exit(main())
