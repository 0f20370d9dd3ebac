"""bench.py on the stand-in driver: bench_test.py GPU_BENCH FOLDER"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
RESULTS = os.path.join(FOLDER, "bench.json")


def run(**environment):
    return subprocess.run([sys.executable, os.path.join(HERE, "bench.py"), PROGRAM, FOLDER, RESULTS, "small"],
                          capture_output=True, text=True, env=dict(os.environ, **environment))


def expect(condition, done):
    if not condition:
        print(done.stdout, done.stderr)
        sys.exit(1)


os.makedirs(FOLDER, exist_ok=True)
none = run(ROPEWALK_CUDA_DRIVER="no_such_library.so")
expect(none.returncode == 3 and "not run: no driver" in none.stdout, none)

tool = os.path.join(HERE, "compute_sanitizer.sh")
whole = run(ROPEWALK_CUDA_DRIVER="self", ROPEWALK_COMPUTE_SANITIZER=tool)
expect(whole.returncode == 0, whole)
results = json.load(open(RESULTS))
expect(results["device"] == "stand-in (the machine)" and not results["failed"], whole)
expect(len(results["times"]) >= 4 and all(row[mode] > 0 for row in results["times"]
                                          for mode in ("bare", "instrumented", "memcheck")), whole)
expect(all(row["share_of_copy"] > 0 for row in results["times"] if row["kernel"].startswith("rotary/")), whole)
# The stand-in ends a launch at the first address outside; only the rewritten kernel knows regions of a tensor.
expect(all(row["instrumented"] for row in results["faults"] if row["bare"]), whole)
expect(results["found"]["memcheck"] == results["found"]["bare"] > 0, whole)

without = run(ROPEWALK_CUDA_DRIVER="self", ROPEWALK_COMPUTE_SANITIZER="")
expect(without.returncode == 0 and "compute-sanitizer: not run: nothing cannot be executed" in without.stdout, without)
expect(json.load(open(RESULTS))["found"]["memcheck"] is None, without)

failing = run(ROPEWALK_CUDA_DRIVER="self", ROPEWALK_COMPUTE_SANITIZER=tool, ROPEWALK_STAND_IN_FAIL="cuMemcpyDtoDAsync_v2:999")
expect(failing.returncode == 1 and "failed: copy" in failing.stdout, failing)
