#!/usr/bin/env python3
"""Holds report files against the schema. Usage: schema_test.py ROOT [--run PROGRAM] [REPORT.json...]

Without reports it is the golden one; with --run those that rope-check writes for the launch files of tests/tools.
Ends with 77 (skipped) where Debian's python3-jsonschema is not installed.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "reports/schema/report-1.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


scratch = tempfile.TemporaryDirectory()  # removed at the end


def reports_of(program):
    """Reports of every launch file, and of the founding bug."""
    folder = pathlib.Path(scratch.name)
    runs = [["launch", str(launch)] for launch in sorted((root / "tests/tools/launches").glob("*.json"))]
    runs.append(["kernel", "faulty/rotary-apply-unguarded", "--rotary-dim", "512"])
    for n, run in enumerate(runs):
        report = folder / f"{n}.json"
        subprocess.run([program, *run, "--budget", "1s", "--report", str(report)], stdout=subprocess.DEVNULL, check=False)
        yield report


if "--run" in sys.argv:
    paths = list(reports_of(sys.argv[sys.argv.index("--run") + 1]))
else:
    paths = [pathlib.Path(name) for name in sys.argv[2:]] or [root / "tests/reports/golden/report.json"]
bad = 0
for path in paths:
    report = json.loads(path.read_text())
    for error in validator.iter_errors(report):
        print(f"{path}: {error.json_path}: {error.message}")
        bad += 1

# The schema must be able to say no.
good = json.loads((root / "tests/reports/golden/report.json").read_text())
for spoil in (
    lambda r: r.pop("summary"),
    lambda r: r["summary"].update(verdict="fine"),
    lambda r: r["findings"][0].update(rule="no-such-rule"),
    lambda r: r["findings"][0].pop("location"),
    lambda r: r["findings"][0]["access"].update(bytes=-1),
    lambda r: r["findings"][0]["thread"].update(block=[1, 2]),
    lambda r: r.update(schema="ropewalk.report/2"),
):
    report = copy.deepcopy(good)
    spoil(report)
    if validator.is_valid(report):
        print("the schema takes a report that it should refuse")
        bad += 1
print(f"{len(paths)} reports, {bad} errors")
sys.exit(bad != 0)
