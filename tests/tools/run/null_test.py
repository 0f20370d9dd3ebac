#!/usr/bin/env python3
"""rope-check run, and calls with null where a pointer is needed (null_programs.cu): they answer that, and the program goes on.

Usage: null_test.py ROOT PROGRAM
"""
import pathlib
import subprocess

from running import Ran, build_of, finish, read_lines, root, rope_check

source = root / "tests/tools/run/null_programs.cu"
read_lines(source)
program = build_of(source, "null", "-g", "-cudart", "shared", "-lcuda", "-L/usr/local/cuda/lib64/stubs")
libraries = pathlib.Path(rope_check).resolve().parent.parent / "lib/virtual"

# It returns a struct, for which the caller gives the address.
NOT_WITH_ZEROS = {"cudaCreateChannelDesc"}
for library, prefix in (("libcudart.so.12", "cuda"), ("libcudart.so.13", "cuda"), ("libcuda.so.1", "cu")):
    symbols = subprocess.run(["nm", "-D", "--defined-only", libraries / library], check=True, capture_output=True, text=True).stdout
    names = sorted({line.split()[-1].split("@")[0] for line in symbols.splitlines()})
    names = [name for name in names if name.startswith(prefix) and name not in NOT_WITH_ZEROS]
    ran = Ran([program, "every", libraries / library, *names], "cuda" if prefix == "cuda" else "cu")
    ran.name = f"every function of {library}"
    ran.expect(len(names) > 100, f"there are {len(names)}").prints(f"{prefix} is not there\n")

Ran([program], "beside-handles").prints("")

# Bytes at null: a finding of a copy and of a fill; of no bytes, none.
ran = Ran([program], "copies").finds(*[("illegal-address", word) for word in ("fill", "to", "from", "rows", "async")])
ran.says("reads 4 bytes at null").says("writes 4 bytes at null")
Ran([program], "copies-right").is_clean(1)

finish()
