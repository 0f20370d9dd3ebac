#!/usr/bin/env python3
"""Holds what rope-check trace writes against its schema, which must also refuse spoilt reports.
Usage: trace_schema_test.py ROOT PROGRAM FOLDER-OF-THE-TESTS. Ends with 77 (skipped) without python3-jsonschema."""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

root, program, tests = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
schema = json.loads((root / "reports/schema/trace-1.schema.json").read_text())
validator = jsonschema.validators.validator_for(schema)(schema)
validator.check_schema(schema)
environment = dict(os.environ, ROPEWALK_CUPTI=str(tests / "libstand_in_cupti.so"))

with tempfile.TemporaryDirectory() as folder:
    report = pathlib.Path(folder) / "trace.json"
    for words in (["late"], ["late", "healthy"], ["unclear"], ["freed"], ["configuration"], ["many"], ["no-cuda"], ["crash"]):
        subprocess.run([program, "trace", "--report", str(report), "--capture", folder + "/captured", "--",
                        str(tests / "traced_program"), *words], capture_output=True, env=environment, check=False)
        found = json.loads(report.read_text())
        errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(found)]
        assert not errors, (words, errors)
        report.unlink()
        if words == ["freed"]:
            good = found

for spoil in (lambda r: r.pop("verdict"), lambda r: r.update(schema="ropewalk.trace/2"), lambda r: r.update(verdict="fine"),
              lambda r: r["processes"][0]["errors"][0].update(code=-1),
              lambda r: r["processes"][0]["errors"][0]["launches"][0].update(state="odd"),
              lambda r: r["processes"][0]["errors"][0]["launches"][1]["arguments"][1]["pointer"].pop("state"),
              lambda r: r["processes"][0]["errors"][0]["allocations"][0].update(address="7f")):
    bad = copy.deepcopy(good)
    spoil(bad)
    assert not validator.is_valid(bad), "a spoilt report is taken"
