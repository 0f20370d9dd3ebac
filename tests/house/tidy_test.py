#!/usr/bin/env python3
"""The sources of the library and of the programs give clang-tidy 19 (a package of Debian 12; 14 does not read all of C++20) nothing
to say, by .clang-tidy. Each is read once, in the unit that the build compiles it in.

Usage: tidy_test.py ROOT BUILD [PART-OF-A-PATH], the paths are those of units
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
wanted = sys.argv[3] if len(sys.argv) > 3 else ""
program = shutil.which("clang-tidy-19")
if not program:
    print("skipped: clang-tidy-19 is not installed")
    sys.exit(77)

# Warnings are the compiler's; headers that only GCC has are read, too.
OF_GCC = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True).stdout.strip()
MORE = ("--extra-arg=-Wno-everything", f"--extra-arg=-idirafter{OF_GCC}")
FOLDERS = ("kernels", "lib", "reference", "reports", "tools")


def is_ours(unit):
    for base in (build, root):
        if unit.is_relative_to(base):
            return unit.relative_to(base).parts[0] in FOLDERS
    return False


def complaints(unit):
    done = subprocess.run([program, "--quiet", "-p", scratch.name, str(unit), *MORE], capture_output=True, text=True)
    return done.stdout if done.returncode else ""


# The common headers as text: those that GCC has compiled are not for Clang.
scratch = tempfile.TemporaryDirectory()
text = (build / "compile_commands.json").read_text()
for headers in set(re.findall(r"-include (\S+/cmake_pch.hxx)", text)):
    copy = shutil.copy(headers, pathlib.Path(scratch.name) / f"{pathlib.Path(headers).parent.name}.hxx")
    text = text.replace(f"-include {headers}", f"-include {copy}")
(pathlib.Path(scratch.name) / "compile_commands.json").write_text(text)

units = sorted({pathlib.Path(one["file"]) for one in json.loads(text)})
units = [unit for unit in units if is_ours(unit) and wanted in str(unit)]
bad = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for said in filter(None, pool.map(complaints, units)):
        bad += 1
        print(said, flush=True)
print(f"{len(units)} units, {bad} with complaints")
sys.exit(bool(bad) or not units)
