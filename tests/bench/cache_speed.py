"""How fast a rope cache is judged, beside numpy doing the same: cache_speed.py ROPE_CHECK

The table has 131,072 rows of 128 columns in float32, as one .npy. numpy computes the table again and compares, in double
and in single precision (which cannot tell honest rounding from a fault). The whole rope-check process is timed. Then a
table of 2^20 rows is judged (512 MiB), beside all cores reading it once and doing nothing else. Exit 77 without numpy.
"""
import concurrent.futures
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

ROWS, LARGE_ROWS, COLUMNS, THETA = 131072, 1 << 20, 128, 10000.0
FREQUENCIES = THETA ** (-numpy.arange(0, COLUMNS, 2, dtype=numpy.float64) / COLUMNS)


def table(dtype):
    angles = numpy.outer(numpy.arange(ROWS, dtype=dtype), FREQUENCIES.astype(dtype))
    return numpy.concatenate([numpy.cos(angles), numpy.sin(angles)], axis=1)


def write_large(path):
    """The same table with more rows, made by turning a first stretch on and on."""
    stretch = 16384
    out = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (LARGE_ROWS, COLUMNS))
    angles = numpy.outer(numpy.arange(stretch), FREQUENCIES)
    cosine, sine = numpy.cos(angles), numpy.sin(angles)
    for row in range(0, LARGE_ROWS, stretch):
        c, s = numpy.cos(row * FREQUENCIES), numpy.sin(row * FREQUENCIES)
        out[row : row + stretch, : COLUMNS // 2] = cosine * c - sine * s
        out[row : row + stretch, COLUMNS // 2 :] = sine * c + cosine * s
    out.flush()


def read_once(path):
    """All bytes of a mapped file through all cores."""
    words = numpy.load(path, mmap_mode="r").reshape(-1).view(numpy.int64)
    parts = numpy.array_split(words, 8 * (os.cpu_count() or 1))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return max(pool.map(lambda part: part.max(), parts))


def fastest(action, times=5):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def show(figures, size):
    ours = figures["rope-check cache"]
    for name, seconds in figures.items():
        print(f"{name:<26}{seconds * 1e3:>9.1f} ms{size / seconds / 1e9:>8.2f} GB/s{seconds / ours:>8.1f} x")


def main():
    dumped = table(numpy.float32)
    with tempfile.TemporaryDirectory() as folder:
        path, large = os.path.join(folder, "cos_sin_cache.npy"), os.path.join(folder, "large_cos_sin_cache.npy")
        numpy.save(path, dumped)
        write_large(large)

        def judge(file):
            command = [sys.argv[1], "cache", file, "--theta", str(THETA), "--head-dim", str(COLUMNS)]
            subprocess.run(command, check=True, capture_output=True)

        figures = {
            "numpy, double precision": fastest(lambda: numpy.abs(table(numpy.float64) - dumped).max()),
            "numpy, single precision": fastest(lambda: numpy.abs(table(numpy.float32) - dumped).max()),
            "rope-check cache": fastest(lambda: judge(path)),
        }
        of_large = {
            "reading 512 MiB once": fastest(lambda: read_once(large)),
            "rope-check cache": fastest(lambda: judge(large)),
        }
    show(figures, dumped.nbytes)
    show(of_large, 4 * LARGE_ROWS * COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
