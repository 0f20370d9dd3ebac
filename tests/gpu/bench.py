"""Kernels on a GPU bare, instrumented and under compute-sanitizer: bench.py GPU_BENCH FOLDER RESULTS.json [small]

Prints the time of each kernel as a ratio, the bandwidth of the rotary ones as a share of what a copy on the device reaches,
and which seeded bugs each of the three finds, and writes all of it to RESULTS.json. compute-sanitizer is that of
ROPEWALK_COMPUTE_SANITIZER, of PATH, of the CUDA toolkit, or of the package nvidia-cuda-sanitizer-api, which is installed into
a virtual environment in FOLDER. What is absent is reported as not run; exit 3 without a GPU, 1 where something that was to be
run failed.
"""
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import python_environment

PACKAGE = "nvidia-cuda-sanitizer-api"
MOST_SECONDS = 600  # of one process
COPY_BYTES, SMALL_COPY_BYTES = 1 << 30, 1 << 20
# Ratios that are aimed at: (instrumented to bare on rotary, on attention), memcheck to instrumented, share of a copy.
AIM_ROTARY, AIM_ATTENTION, AIM_MEMCHECK, AIM_BANDWIDTH = 1.5, 2.0, 10.0, 0.85


def of_package(folder):
    """The package's program, installed where it is not yet; else None and why."""
    pattern = os.path.join(folder, "venv", "**", "compute-sanitizer")
    is_program = lambda path: os.path.isfile(path) and os.access(path, os.X_OK)
    if not any(map(is_program, glob.glob(pattern, recursive=True))):
        os.makedirs(folder, exist_ok=True)
        try:
            python_environment.create(folder)
            python_environment.pip(folder, "install", PACKAGE)
        except SystemExit:  # the reason is printed
            return None, f"the package {PACKAGE} cannot be installed"
    found = [path for path in glob.glob(pattern, recursive=True) if is_program(path)]
    return (found[0], None) if found else (None, f"the package {PACKAGE} has no program compute-sanitizer")


def sanitizer(folder):
    """The path of compute-sanitizer, or None and why there is none."""
    named = os.environ.get("ROPEWALK_COMPUTE_SANITIZER")
    if named is not None:
        return (named, None) if os.access(named, os.X_OK) else (None, f"{named or 'nothing'} cannot be executed")
    toolkit = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "compute-sanitizer")
    for path in (shutil.which("compute-sanitizer"), toolkit):
        if path and os.access(path, os.X_OK):
            return path, None
    return of_package(folder)


class Bench:
    def __init__(self, program, tool, small):
        self.program, self.tool, self.small = program, tool, small
        self.failed = []

    def ask(self, *words, under=()):
        """The answer of gpu_bench and its whole output; None where it gave none."""
        command = [*under, self.program, *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(command, None, "", f"took more than {MOST_SECONDS} seconds")
        for line in reversed(done.stdout.splitlines()):
            if line.startswith("{"):
                return json.loads(line), done
        return None, done

    def must(self, *words, under=()):
        answer, done = self.ask(*words, under=under)
        if answer is None or "error" in answer:
            why = answer["error"] if answer else (done.stderr.strip().splitlines() or ["no answer"])[-1]
            self.failed.append(f"{' '.join(map(str, words))}: {why}")
            return None
        return answer

    def memcheck(self):
        return (self.tool, "--tool", "memcheck")

    def times(self, case):
        launches = 3 if self.small else 50
        row = dict(case)
        for mode in ("bare", "instrumented"):
            answer = self.must("time", case["kernel"], case["problem"], mode, launches)
            row[mode] = answer and answer["seconds"]
            if answer:
                row["moved"] = answer["moved"]
        if self.tool:
            answer = self.must("time", case["kernel"], case["problem"], "bare", 1 if self.small else 2,
                               under=self.memcheck())
            row["memcheck"] = answer and answer["seconds"]
        return row

    def fault(self, case):
        row = dict(case)
        for mode in ("bare", "instrumented"):
            answer, _ = self.ask("fault", case["kernel"], case["problem"], mode)
            row[mode] = answer and answer["found"]
        if self.tool:
            _, done = self.ask("fault", case["kernel"], case["problem"], "bare", under=self.memcheck())
            errors = re.search(r"ERROR SUMMARY: (\d+) error", done.stdout + done.stderr)
            row["memcheck"] = int(errors.group(1)) > 0 if errors else None
        return row


def ratio(row, over, under):
    return row[over] / row[under] if row.get(over) and row.get(under) else None


def shown(value, text):
    return "not run" if value is None else text.format(value)


def show_times(rows, copy):
    print(f"{'kernel':24} {'bare':>11} {'instrumented':>13} {'memcheck':>11} {'of a copy':>10}")
    for row in rows:
        row["instrumented_to_bare"] = ratio(row, "instrumented", "bare")
        row["memcheck_to_instrumented"] = ratio(row, "memcheck", "instrumented")
        row["share_of_copy"] = None
        if copy and row.get("bare") and row["kernel"].startswith("rotary/"):
            row["share_of_copy"] = row["moved"] / row["bare"] / (copy["moved"] / copy["seconds"])
        memcheck = row["memcheck"] / row["bare"] if row.get("memcheck") and row.get("bare") else None
        print(f"{row['kernel']:24} {shown(row.get('bare'), '{:.3e} s'):>11}"
              f" {shown(row['instrumented_to_bare'], '{:.2f} x'):>13} {shown(memcheck, '{:.1f} x'):>11}"
              f" {shown(row['share_of_copy'], '{:.0%}'):>10}  {row['problem']}")


def aims(rows):
    """Each aim with whether it was reached; None: not measured."""

    def all_of(key, holds, family):
        values = [row[key] for row in rows if row[key] is not None and row["kernel"].startswith(family)]
        return all(map(holds, values)) if values else None

    return {"instrumented at most 1.5 x bare on rotary": all_of("instrumented_to_bare", lambda x: x <= AIM_ROTARY, "rotary"),
            "instrumented at most 2 x bare on attention":
                all_of("instrumented_to_bare", lambda x: x <= AIM_ATTENTION, "attention"),
            "instrumented at least 10 x faster than memcheck":
                all_of("memcheck_to_instrumented", lambda x: x >= AIM_MEMCHECK, ""),
            "bare rotary kernels reach 85% of a copy": all_of("share_of_copy", lambda x: x >= AIM_BANDWIDTH, "rotary")}


def main(program, folder, results, small):
    device, done = Bench(program, None, small).ask("device")
    if device is None:
        print(f"benchmark: {done.stderr.strip()}")
        return 3
    tool, why = sanitizer(folder)
    if not tool:
        print(f"compute-sanitizer: not run: {why}")
    bench = Bench(program, tool, small)
    cases, _ = bench.ask("cases", *(["small"] if small else []))
    copy = bench.must("copy", SMALL_COPY_BYTES if small else COPY_BYTES, 10)
    rows = [bench.times(case) for case in cases["times"]]
    show_times(rows, copy)
    faults = [bench.fault(case) for case in (cases["faults"][:4] if small else cases["faults"])]
    found = {}
    for mode in ("bare", "instrumented", "memcheck"):
        asked = [row for row in faults if row.get(mode) is not None]
        found[mode] = sum(row[mode] for row in asked) if asked else None
        print(f"seeded bugs found {mode:13} {shown(found[mode], '{}')} of {len(asked) or len(faults)}")
    more = None if found["memcheck"] is None else found["instrumented"] > found["memcheck"]
    reached = {**aims(rows), "strictly more faults found than by memcheck": more}
    for aim, holds in reached.items():
        print(f"{aim}: {'not measured' if holds is None else 'yes' if holds else 'no'}")
    for failure in bench.failed:
        print(f"failed: {failure}")
    out = {"schema": "ropewalk.gpu-bench/1", **device, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
           "compute_sanitizer": tool and os.path.basename(tool), "compute_sanitizer_not_run": why, "copy": copy, "times": rows,
           "faults": faults, "found": found, "aims": reached, "failed": bench.failed}
    with open(results, "w") as file:
        json.dump(out, file, indent=1)
        file.write("\n")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or (len(sys.argv) == 5 and sys.argv[4] != "small"):
        print(__doc__.splitlines()[0])
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], len(sys.argv) == 5))
