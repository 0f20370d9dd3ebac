#!/usr/bin/env python3
"""A campaign that is killed leaves a whole report or none, and a whole corpus file or none.

Usage: killed_test.py ROOT PROGRAM. SIGINT and SIGTERM end a campaign with a report of what was done; SIGKILL leaves the report that was
there before. So does a limit on the size of files reached in the midst of writing, which is reported.
"""
import json
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
CAMPAIGN = ["fuzz", "faulty/rotary-cache-unguarded", "rotary/apply", "--quiet"]
FORMATS = ("json", "sarif", "xml", "html", "md", "txt", "github", "gitlab")
bad = []


def expect(holds, text):
    if not holds:
        bad.append(text)


def reports(name):
    return [folder / f"{name}.{suffix}" for suffix in FORMATS]


def start(name, *more, limit=None, corpus=True):
    words = [program, *CAMPAIGN, *(["--corpus", str(folder / f"corpus-{name}")] if corpus else []), *more]
    for path in reports(name):
        words += ["--report", str(path)]
    set_limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=set_limit)


def check_corpus(name):
    """Every file of the corpus is whole; the program reads it back."""
    for path in (folder / f"corpus-{name}").glob("*.json"):
        expect("problem" in json.loads(path.read_text()), f"{name}: half a case in {path.name}")
    # All files are read, also those for kernels that take no part.
    done = subprocess.run([program, "fuzz", "rotary/qk", "--quiet", "--budget", "1", "--corpus",
                           str(folder / f"corpus-{name}")], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{name}: the corpus is not read back: {done.stderr}")


def check_whole(name):
    """All formats are there, and whole; nothing is left beside them."""
    for path in reports(name):
        expect(path.exists(), f"{name}: no {path.name}")
    endings = {"sarif": "}\n", "xml": "</testsuites>\n", "html": "</html>\n", "gitlab": "]\n"}
    for path in reports(name):
        ending = endings.get(path.suffix[1:])
        expect(not ending or path.read_text().endswith(ending), f"{name}: half of {path.name}")
    left = [path.name for path in folder.glob(f"{name}.*") if path not in reports(name)]
    expect(not left, f"{name}: left behind: {left}")
    return json.loads((folder / f"{name}.json").read_text())


def stopped_by(number, delay):
    name = f"{signal.Signals(number).name}-{delay}"
    process = start(name, "--budget", "10m")
    time.sleep(delay)
    process.send_signal(number)
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        bad.append(f"{name}: still runs a minute after the signal")
        return
    if process.returncode == -number:  # before it listened: then there is none
        expect(not any(path.exists() for path in reports(name)), f"{name}: a report of a run that had not begun")
        return
    report = check_whole(name)
    expect(report["campaign"]["stopped"], f"{name}: the report does not say that it was stopped")
    expect([left["case"] for left in report["not_run"]] == ["the campaign"], f"{name}: {report['not_run']}")
    # What was looked for and not finished is never clean.
    expect(process.returncode in (1, 3), f"{name}: exit code {process.returncode}")
    expect(report["summary"]["verdict"] != "clean", f"{name}: called clean")
    check_corpus(name)


def killed(delay):
    name = f"SIGKILL-{delay}"
    old = "what was there before\n"
    for path in reports(name):
        path.write_text(old)
    process = start(name, "--budget", "10m")
    time.sleep(delay)
    process.kill()
    process.communicate()
    for path in reports(name):
        expect(path.read_text() == old, f"{name}: {path.name} is another")
    check_corpus(name)


def limited_while_writing(limit):
    """A file that would be longer than the limit is not written; SIGXFSZ does not end the process."""
    name = f"writing-{limit}"
    # What the corpus keeps of the campaign is longer than one case and shorter than a report.
    process = start(name, "--budget", "40", limit=limit, corpus=limit < 100)
    told = process.communicate(timeout=120)[1]
    expect(process.returncode in (1, 2) and b"cannot write" in told, f"{name}: exit code {process.returncode}, {told}")
    for path in reports(name):
        expect(not path.exists() or path.stat().st_size <= limit, f"{name}: {path.name} is there")
        if path.exists() and path.suffix == ".json":
            json.loads(path.read_text())
    parts = [path for path in folder.glob(f"{name}.*") if path not in reports(name)]
    expect(not parts, f"{name}: parts of reports are left: {parts}")
    check_corpus(name)


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    for delay in (0.02, 0.3):
        stopped_by(number, delay)
for delay in (0.02, 0.3):
    killed(delay)
for limit in (50, 4096):  # in a case of the corpus, in a report
    limited_while_writing(limit)
for text in bad:
    print(text)
print(f"{len(bad)} errors")
sys.exit(bool(bad))
