"""How fast a rope cache is judged, beside numpy doing the same: cache_speed.py ROPE_CHECK [--require]

The table has 131,072 rows of 128 columns in float32, as one .npy. numpy computes the table again and compares, in double
and in single precision (which cannot tell honest rounding from a fault). The whole rope-check process is timed. --require:
exit 1 where it is not 10 times as fast as double and 3 times as single. Exit 77 where there is no numpy.
"""
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    print("skipped: no numpy")
    sys.exit(77)

ROWS, COLUMNS, THETA = 131072, 128, 10000.0


def table(dtype):
    frequencies = (THETA ** (-numpy.arange(0, COLUMNS, 2, dtype=numpy.float64) / COLUMNS)).astype(dtype)
    angles = numpy.outer(numpy.arange(ROWS, dtype=dtype), frequencies)
    return numpy.concatenate([numpy.cos(angles), numpy.sin(angles)], axis=1)


def fastest(action, times=5):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    dumped = table(numpy.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cos_sin_cache.npy")
        numpy.save(path, dumped)
        command = [sys.argv[1], "cache", path, "--theta", str(THETA), "--head-dim", str(COLUMNS)]
        figures = {
            "numpy, double precision": fastest(lambda: numpy.abs(table(numpy.float64) - dumped).max()),
            "numpy, single precision": fastest(lambda: numpy.abs(table(numpy.float32) - dumped).max()),
            "rope-check cache": fastest(lambda: subprocess.run(command, check=True, capture_output=True)),
        }
    ours = figures["rope-check cache"]
    for name, seconds in figures.items():
        print(f"{name:<26}{seconds * 1e3:>9.1f} ms{dumped.nbytes / seconds / 1e9:>8.2f} GB/s{seconds / ours:>8.1f} x")
    enough = figures["numpy, double precision"] >= 10 * ours and figures["numpy, single precision"] >= 3 * ours
    return 0 if enough or "--require" not in sys.argv else 1


if __name__ == "__main__":
    sys.exit(main())
