#!/usr/bin/env python3
"""Checks report files against their schemas. Usage: schema_test.py json|sarif|xml|gitlab ROOT [--run PROGRAM]

json against ours, sarif against that of the OASIS standard, xml against the XSD of JUnit files (with libxml2's xmllint).
The golden file, or with --run the reports that rope-check writes for the launch files of tests/tools. Each schema must
also refuse spoilt reports. Ends with 77 (skipped) where Debian's python3-jsonschema or libxml2-utils is not installed.
"""
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

kind, root = sys.argv[1], pathlib.Path(sys.argv[2])
scratch = tempfile.TemporaryDirectory()  # removed at the end
folder = pathlib.Path(scratch.name)


def skip(missing):
    print(f"skipped: {missing} is not installed")
    sys.exit(77)


def json_errors(schema_path):
    """A function from a report's path to its errors."""
    try:
        import jsonschema
    except ImportError:
        skip("python3-jsonschema")
    schema = json.loads(schema_path.read_text())
    kind_of_schema = jsonschema.validators.validator_for(schema)
    kind_of_schema.check_schema(schema)
    validator = kind_of_schema(schema)
    return lambda path: [f"{e.json_path}: {e.message}" for e in validator.iter_errors(json.loads(path.read_text()))]


def xml_errors(schema_path):
    if not shutil.which("xmllint"):
        skip("libxml2-utils")

    def errors(path):
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", str(schema_path), str(path)],
                              capture_output=True, text=True, check=False)
        return done.stderr.splitlines() if done.returncode else []
    return errors


def spoilt_json(changes):
    good = json.loads(golden.read_text())
    for n, spoil in enumerate(changes):
        report = copy.deepcopy(good)
        spoil(report)
        path = folder / f"spoilt-{n}"
        path.write_text(json.dumps(report))
        yield path


def spoilt_text(changes):
    good = golden.read_text()
    for n, (old, new) in enumerate(changes):
        assert old in good, old
        path = folder / f"spoilt-{n}"
        path.write_text(good.replace(old, new, 1))
        yield path


def reports_of(program):
    """Reports of every launch file, of the founding bug, and of the other commands that find something."""
    runs = [["launch", str(launch)] for launch in sorted((root / "tests/tools/launches").glob("*.json"))]
    runs.append(["case", "faulty/rotary-apply-unguarded", "--rotary-dim", "512"])
    campaign = folder / "campaign.json"
    runs.append(["fuzz", "faulty/rotary-apply-row-mask", "faulty/rotary-cache-unguarded", "rotary/qk", "--budget", "60",
                 "--report", str(campaign)])
    runs += [["replay", str(campaign)], ["merge", str(campaign)], ["atlas", "6", "7"]]
    runs.append(["cache", *(f"tests/data/rope/{name}" for name in ("rank0.npy", "rank1.npy")), "--config",
                 "tests/data/rope/config.json"])
    runs += [["init", str(plan)] for plan in sorted((root / "lib/init/plans").glob("*.broken.json"))[:2]]
    for n, words in enumerate(runs):
        report = folder / f"{n}.{kind}"
        done = subprocess.run([program, *words, "--quiet", "--report", str(report)], stdout=subprocess.DEVNULL,
                              check=False)
        assert done.returncode in (0, 1, 3), words
        yield report


golden = root / f"tests/reports/golden/report.{kind}"
if kind == "json":
    errors_of = json_errors(root / "reports/schema/report-1.schema.json")
    spoilt = spoilt_json([
        lambda r: r.pop("summary"),
        lambda r: r["summary"].update(verdict="fine"),
        lambda r: r["findings"][0].update(rule="no-such-rule"),
        lambda r: r["findings"][0].update(excused={"by": "somebody", "reason": ""}),
        lambda r: r["findings"][0].pop("location"),
        lambda r: r["findings"][0]["access"].update(bytes=-1),
        lambda r: r["findings"][0]["thread"].update(block=[1, 2]),
        lambda r: r.update(sources={"a.cu": {"0": "text"}}),
        lambda r: r.update(schema="ropewalk.report/2"),
    ])
elif kind == "sarif":
    errors_of = json_errors(root / "tests/data/schema/sarif-schema-2.1.0.json")
    spoilt = spoilt_json([
        lambda r: r.update(version="2.0.0"),
        lambda r: r["runs"][0].pop("tool"),
        lambda r: r["runs"][0]["results"][0].update(level="awful"),
        lambda r: r["runs"][0]["results"][0].pop("message"),
        lambda r: r["runs"][0]["results"][0].update(surprise=1),
        lambda r: r["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
    ])
elif kind == "gitlab":
    errors_of = json_errors(root / "tests/data/schema/gitlab-code-quality.json")
    spoilt = spoilt_json([
        lambda r: r[0].pop("fingerprint"),
        lambda r: r[0].update(severity="awful"),
        lambda r: r[0].update(description=""),
        lambda r: r[0]["location"].pop("path"),
        lambda r: r[0]["location"].update(path="./a.cu"),
        lambda r: r[0]["location"]["lines"].update(begin=0),
        lambda r: r[1].update(r[0]),
    ])
else:
    errors_of = xml_errors(root / "tests/data/schema/junit-10.xsd")
    spoilt = spoilt_text([
        ("<failure ", "<defect "),
        ("failures=", "failings="),
        ("<testcase name=", "<testcase title="),
        ('time="0.250"', 'time="soon"'),
        ("</testsuites>", ""),
    ])

paths = list(reports_of(sys.argv[sys.argv.index("--run") + 1])) if "--run" in sys.argv else [golden]
bad = 0
for path in paths:
    for error in errors_of(path):
        print(f"{path}: {error}")
        bad += 1
for path in spoilt:
    if not errors_of(path):
        print(f"the schema takes a report that it should refuse: {path.name}")
        bad += 1
print(f"{len(paths)} {kind} reports, {bad} errors")
sys.exit(bad != 0)
