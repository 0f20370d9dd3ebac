"""How fast the reference of attention is, beside torch's own fastest attention in double precision on the same cores:
reference_speed.py ATTN_FUZZ FOLDER

torch's is its flash kernel for the processor, forward, and forward and backward, on 8 heads of 512 tokens and 64 columns;
4 H T^2 D operations are counted for a forward, 2.5 times as many for a backward. Each side is measured in turn, some times
over, and the best of each counts. FOLDER keeps a virtual environment. Exit 77 where there
is no torch.
"""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from python_environment import WITH_TORCH, run_inside

HEADS, TOKENS, COLUMNS, TURNS = 8, 512, 64, 4
OPERATIONS = 4 * HEADS * TOKENS * TOKENS * COLUMNS


def best(action, seconds=1.5):
    action()
    fastest, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        action()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def of_torch():
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch.set_num_threads(os.cpu_count())
    shape = (1, HEADS, TOKENS, COLUMNS)
    q, k, v = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for _ in range(3))
    gradient = torch.randn(shape, dtype=torch.float64)
    attention = torch.nn.functional.scaled_dot_product_attention

    def forward():
        with torch.no_grad():
            attention(q, k, v)

    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return (OPERATIONS / best(forward) / 1e9,
                3.5 * OPERATIONS / best(lambda: torch.autograd.grad(attention(q, k, v), (q, k, v), gradient)) / 1e9)


def of_reference(program):
    done = subprocess.run([program, "bench", "reference", "--time", "0.15s"], check=True, capture_output=True, text=True)
    found = re.search(r"([\d.]+) GFLOP/s forward, ([\d.]+) forward and backward", done.stdout)
    return float(found[1]), float(found[2])


def main():
    run_inside(sys.argv[2], WITH_TORCH)
    figures = {"torch, flash kernel": (0, 0), "reference, with bounds": (0, 0)}
    for _ in range(TURNS):
        for name, measured in zip(figures, (of_torch(), of_reference(sys.argv[1]))):
            figures[name] = tuple(map(max, figures[name], measured))
    for name, (forward, both) in figures.items():
        print(f"{name:<26}{forward:>8.1f} GFLOP/s forward{both:>8.1f} forward and backward")
    theirs, ours = figures.values()
    print(f"{'ratio':<26}{ours[0] / theirs[0]:>8.2f}{ours[1] / theirs[1]:>24.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
