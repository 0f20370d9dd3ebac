"""clang-tidy 14 (Debian 12's) has nothing to say of the C++ sources, by the checks that .clang-tidy lists.

tidy_test.py SOURCE_DIR BUILD_DIR   every file of the build but tests, as it is compiled; warnings are printed once each
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
FOLDERS = ("lib", "tools", "kernels", "reference", "reports")


def arguments_of(command):
    """The compiler's arguments, but for the precompiled header: it is another compiler's."""
    words = iter(shlex.split(command))
    return [word for word in words if word != "-Winvalid-pch" and not (word == "-include" and next(words))]


def files_to_read(source, build):
    """By file, its entry in the database. What is compiled for several instruction sets is read once."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        inside = path.relative_to(build if path.is_relative_to(build) else source)
        if inside.parts[0] in FOLDERS and not path.name.startswith("embedded_"):
            entries.setdefault(entry["file"], {"directory": entry["directory"], "file": entry["file"],
                                               "arguments": arguments_of(entry["command"])})
    return entries


def main():
    source, build = (Path(argument).resolve() for argument in sys.argv[1:3])
    version = shutil.which("clang-tidy") and subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True).stdout
    if "version 14" not in (version or ""):
        print("skipped: clang-tidy 14 is not installed")
        return SKIPPED
    entries = files_to_read(source, build)
    assert len(entries) > 150, f"{len(entries)} files in {build}/compile_commands.json; expected: all of {FOLDERS}"
    database = build / "tidy"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(list(entries.values())))

    def read(path):
        return subprocess.run(["clang-tidy", "-p", database, "--quiet", path], cwd=source, capture_output=True, text=True)

    found, unread = set(), []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, run in zip(entries, pool.map(read, entries)):
            found |= set(re.findall(r"^\S+: (?:warning|error): .*$", run.stdout, re.MULTILINE))
            if run.returncode and not run.stdout:
                unread.append(f"{path}: {run.stderr.strip()}")
    print(*sorted(found), *unread, f"{len(entries)} files, {len(found)} warnings", sep="\n")
    return 1 if found or unread else 0


if __name__ == "__main__":
    sys.exit(main())
