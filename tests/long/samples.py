#!/usr/bin/env python3
"""Programs of another repository under rope-check run: each ends as its table says, clean, with findings, or not run. A better
end is a failure, too: then the table is out of date.

Usage: samples.py ROPE_CHECK TABLE.json FOLDER [NAME...]: the programs of the table, or those named, built in FOLDER. Ends with
77 (skipped) without the checkout, which the variable of the table names, or without nvcc.

A table has the "checkout", a variable; the "path" of the programs in it; the "options" of nvcc; and "programs". A program has
its "run": name and arguments. The name is a folder with a CMakeLists.txt, or a source. It may also have:
  edits    patterns in its sources, and what is written instead: a smaller problem; the table may have some for all
  devices  how many there are
  limit_s  how long it may take; what takes longer is ended
  ends     "findings" or "not run" or "not built"; otherwise it is clean, ends with 0 and does not say that it failed
  tells    words of each finding, or of a reason why it was not run
  why      the reason, in plain English"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time


def compile_with_nvcc(arguments, folder):
    done = subprocess.run(["nvcc", "-arch=sm_80", "-w", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def edit(sources, edits, must_be_there):
    for old, new in edits.items():
        count = 0
        for source in sources:
            text, here = re.subn(old, new, source.read_text())
            source.write_text(text)
            count += here
        if must_be_there and not count:
            raise RuntimeError(f"no source has {old}")


def build(program, table, origin, copy):
    """Builds a copy of the program from the sources that its own CMakeLists.txt names, unless it is newer than the table."""
    name = program["run"].split()[0]
    folder = copy / name if (origin / name).is_dir() else copy
    edited_for = "".join(program["run"].split()[1:]) if "edits" in program else ""
    built = folder / f"{pathlib.Path(name).name}{edited_for}.program"
    if built.exists() and built.stat().st_mtime > table["written"]:
        return built
    shutil.copytree(origin / folder.relative_to(copy), folder, dirs_exist_ok=True)
    sources = [f"{name}.cu"]
    if folder != copy:
        recipe = (folder / "CMakeLists.txt").read_text()
        sources = re.search(r"add_executable\(\s*\w+\s+([^)]*)\)", recipe)[1].split()
        for module, source in re.findall(r'set\(CUDA_\w+_FILE ".*/(.*)"\)\s*set\(CUDA_KERNEL_SOURCE ".*/(.*)"\)', recipe):
            compile_with_nvcc(["-ptx" if module.endswith("ptx") else "-fatbin", "-o", module, source], folder)
    editable = [*(folder / source for source in sources), *folder.glob("*.h")]
    edit(editable, table.get("edits", {}), False)
    edit(editable, program.get("edits", {}), True)
    compile_with_nvcc([*table["options"], "-o", built.name, *sources], folder)
    return built


def run(rope_check, program, built):
    """How it ended, and what the report and the program say of it."""
    report = built.with_suffix(".json")
    report.unlink(missing_ok=True)
    limit, devices = str(program.get("limit_s", 600)), str(program.get("devices", 1))
    done = subprocess.run(["timeout", limit, rope_check, "run", "--quiet", "--devices", devices, "--report", report, "--",
                           f"./{built.name}", *shlex.split(program["run"])[1:]],
                          cwd=built.parent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if not report.exists():
        return "failed", [done.stdout[-2000:]]
    told = json.loads(report.read_text())
    findings = [f"{finding['rule']}: {finding['message']}" for finding in told["findings"]
                if finding["severity"] != "note"]
    if told["summary"]["verdict"] == "findings":
        return "findings", findings
    if told["not_run"]:
        return "not run", [f"{case['case']}: {case['reason']}" for case in told["not_run"]]
    if done.returncode or re.search(r"\bFAIL|\bfail(ed|ure)\b", done.stdout):
        return "failed", [f"exit code {done.returncode}", done.stdout[-2000:]]
    return "clean", []


def judge(rope_check, program, table, origin, copy):
    started = time.time()
    try:
        end, told = run(rope_check, program, build(program, table, origin, copy))
    except RuntimeError as error:
        end, told = "not built", [str(error)]
    wanted, words = program.get("ends", "clean"), program.get("tells", "")
    right = end == wanted and (all if end == "findings" else any)(words in line for line in told or [""])
    print(f"{'as expected' if right else 'UNEXPECTED '} {program['run']}: {end} ({time.time() - started:.0f} s)",
          *([] if right else told), sep="\n  ", flush=True)
    return right


def main():
    rope_check, table, copy, *names = sys.argv[1:]
    os.environ["PATH"] += ":/usr/local/cuda/bin"
    rope_check = pathlib.Path(rope_check).absolute()
    file = pathlib.Path(table).absolute()
    table, here = json.loads(file.read_text()), file.parent
    table["written"] = file.stat().st_mtime
    table["options"] = [str(here / option) if (here / option).is_file() else option for option in table["options"]]
    checkout = os.environ.get(table["checkout"])
    if not checkout or not shutil.which("nvcc"):
        print(f"skipped: {table['checkout']} is not set" if not checkout else "skipped: nvcc is not installed")
        return 77
    origin, copy = pathlib.Path(checkout) / table["path"], pathlib.Path(copy).absolute() / table["path"]
    copy.mkdir(parents=True, exist_ok=True)
    for beside in table.get("beside", []):
        if not (copy / beside).exists():
            (copy / beside).symlink_to((origin / beside).resolve())
    programs = [program for program in table["programs"] if not names or program["run"] in names]
    right = [judge(rope_check, program, table, origin, copy) for program in programs]
    print(f"{sum(right)} of {len(right)} are as expected")
    return 0 if all(right) else 1


sys.exit(main())
