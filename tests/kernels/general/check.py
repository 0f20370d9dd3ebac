#!/usr/bin/env python3
"""Runs rope-check on the launch files of this folder and holds its reports against expected.json.

check.py PATH/TO/rope-check [NAME...]: exit 0 when every launch ended with its exit code and its findings, every
healthy one with none.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent


def facts(finding):
    """What expected.json may name of a finding."""
    access, location = finding.get("access") or {}, finding.get("location") or {}
    return {"rule": finding["rule"], "tensor": access.get("tensor"), "line": location.get("line"),
            "file": pathlib.Path(location.get("file") or "").name, "byte_offset": access.get("byte_offset"),
            "bytes_past_end": access.get("bytes_past_end"), "index": access.get("index")}


def complaints(program, name, want):
    """What is wrong with the run of one launch file; empty: nothing."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        run = subprocess.run([program, "launch", str(here / f"{name}.json"), "--report", str(report)],
                             capture_output=True, text=True)
        found = [facts(f) for f in json.loads(report.read_text())["findings"]] if report.exists() else []
    wrong = []
    if run.returncode != want["exit"]:
        wrong.append(f"exit {run.returncode}, expected {want['exit']}: {(run.stderr or run.stdout).strip()[-300:]}")
    for one in want["findings"]:
        if not any(all(f[key] == value for key, value in one.items()) for f in found):
            wrong.append(f"missing {one}")
    if wrong or (found and not want["findings"]):
        wrong += [f"  found {({k: v for k, v in f.items() if v is not None})}" for f in found]
    return wrong


def main():
    program, names = sys.argv[1], sys.argv[2:]
    expected = json.loads((here / "expected.json").read_text())
    failed = 0
    for name, want in expected.items():
        if names and name not in names:
            continue
        wrong = complaints(program, name, want)
        failed += bool(wrong)
        print("bad " if wrong else "ok  ", name, *[f"\n       {w}" for w in wrong])
    print(f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
