#!/usr/bin/env python3
"""sparse_memory_test.py PATH/TO/rope-check [FACTOR]: a launch over a tensor of 2^33 elements, of which it runs 64 blocks,
has to be checked in 100 MB and one second of processor time; under a sanitizer, in FACTOR times as much."""
import pathlib
import resource
import subprocess
import sys

factor = int(sys.argv[2]) if len(sys.argv) > 2 else 1
launch = pathlib.Path(__file__).resolve().parents[2] / "data/machine/kernels/sparse.json"
run = subprocess.run([sys.argv[1], "launch", str(launch)], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
megabytes, seconds = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
print(f"exit {run.returncode}, {megabytes:.0f} MB, {seconds:.2f} s\n{run.stdout}{run.stderr}")
sys.exit(not (run.returncode == 0 and megabytes < 100 * factor and seconds < factor))
