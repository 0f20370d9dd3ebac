#!/usr/bin/env python3
"""A campaign that was killed or stopped goes on where it was, and finds what an uninterrupted one finds.

Usage: resumed_test.py ROOT PROGRAM.
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
# Small cases, and a kernel that every campaign finds something in.
KERNELS = ["faulty/rotary-cache-unguarded", "rotary/apply", "faulty/rotary-apply-column-mask"]
CASES = 300
bad = []


def expect(holds, text):
    if not holds:
        bad.append(text)


def command(name, *more):
    return [program, "fuzz", *KERNELS, "--quiet", "--budget", str(CASES), "--corpus", str(folder / name), *more, "--report",
            str(folder / f"{name}.json")]


def run(name, *more):
    return subprocess.run(command(name, *more), capture_output=True, text=True, check=False)


def state_of(name, part=""):
    return folder / name / f"campaign{part}.state"


def corpus_of(name):
    return {path.name: path.read_text() for path in (folder / name).glob("*.json")}


def result_of(name):
    """What a report says of the campaign, without what the interruption itself leaves in it."""
    report = json.loads((folder / f"{name}.json").read_text())
    for finding in report["findings"]:
        finding["replay"] = finding["replay"].replace(str(folder / name), "DIR")
    return {"findings": report["findings"], "coverage": report["coverage"], "campaign": report["campaign"]["coverage"],
            "summary": report["summary"], "not_run": report["not_run"]}


def interrupt(name, how, *more, part="", before=CASES):
    """Ends the campaign in its midst. False where it was over before that."""
    process = subprocess.Popen(command(name, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not state_of(name, part).exists():
        time.sleep(0.002)
    process.send_signal(how)
    process.communicate(timeout=120)
    if not state_of(name, part).exists():
        return False
    head = json.loads(state_of(name, part).read_text().splitlines()[0])
    return head["next"] < before


def goes_on(name, whole, how, *more, part="", before=CASES):
    for _ in range(5):  # a fast machine may be done before the signal comes
        was_interrupted = interrupt(name, how, *more, part=part, before=before)
        if was_interrupted:
            break
        shutil.rmtree(folder / name)
    expect(was_interrupted, f"{name}: the campaign was over before it was ended")
    expect(how == signal.SIGKILL or json.loads((folder / f"{name}.json").read_text())["campaign"]["stopped"],
           f"{name}: no report of what was done")
    kept = json.loads(state_of(name, part).read_text().split("\n", 1)[1])["findings"]
    expect(kept, f"{name}: nothing was kept of what was found")
    done = run(name, "--resume", *more)
    expect(done.returncode == 1, f"{name}: exit {done.returncode}: {done.stderr}")
    report = json.loads((folder / f"{name}.json").read_text())
    expect(any("went on after" in note for note in report["notes"]), f"{name}: {report['notes']}")
    expect(not state_of(name, part).exists(), f"{name}: what was interrupted is still there when it is over")
    for key, value in result_of(whole).items():
        expect(result_of(name)[key] == value, f"{name}: {key} differs from that of {whole}")
    expect(corpus_of(name) == corpus_of(whole), f"{name}: the corpus differs: {sorted(corpus_of(name))}")


expect(run("whole").returncode == 1, "the campaign finds nothing")
expect(len(result_of("whole")["findings"]) > 2, "the campaign finds too little")
expect(not state_of("whole").exists(), "a campaign that is over is kept")
for number, (how, *more) in enumerate(((signal.SIGKILL,), (signal.SIGKILL, "--jobs", "1"), (signal.SIGKILL, "--jobs", "4"),
                                       (signal.SIGHUP,), (signal.SIGTERM, "--jobs", "3"))):
    goes_on(f"interrupted-{number}", "whole", how, *more)

# A part of a campaign has a place of its own in the corpus.
for index in (0, 1):
    shard = ["--shard", f"{index}/2"]
    run(f"shard-{index}", *shard)
    goes_on(f"interrupted-shard-{index}", f"shard-{index}", signal.SIGKILL, *shard, part=f"-{index}-of-2", before=CASES // 2)

# Killed again and again, it comes to its end all the same.
for _ in range(3):
    interrupt("often", signal.SIGKILL, *(["--resume"] if state_of("often").exists() else []))
run("often", "--resume")
expect(result_of("often") == result_of("whole"), "killed thrice: it differs from the whole")

# Nothing to go on with, and another campaign's state.
expect(run("none", "--resume").returncode == 1, "without a state it does not begin")
expect("began from its first case" in (folder / "none.json").read_text(), "it does not say that it began again")
interrupt("other", signal.SIGKILL)
refused = run("other", "--resume", "--seed", "7")
expect(refused.returncode == 2 and "is of another campaign" in refused.stderr, f"another seed: {refused.stderr}")
without = subprocess.run([program, "fuzz", "--resume"], capture_output=True, text=True, check=False)
expect(without.returncode == 2 and "--corpus" in without.stderr, f"no corpus: {without.stderr}")

for text in bad:
    print(text)
print(f"{len(bad)} errors")
sys.exit(bool(bad))
