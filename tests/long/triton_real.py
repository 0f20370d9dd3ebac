"""Real Triton kernels of pip packages on the virtual GPU: their own wrappers run on "cuda" tensors, forward and backward, and every
launch of theirs is compiled for sm_80 and checked. Values must agree with plain torch in float64, and nothing may be found but
what is listed here as true.
Usage: triton_real.py PACKAGE FOLDER_OF_TORCH FOLDER [WORD...], of the cases whose names contain a word
"""

import os
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
PACKAGE, WITH_TORCH, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:4])
from real_kernels import environment  # noqa: E402

environment.run_inside(WITH_TORCH, FOLDER)
sys.path.insert(0, PACKAGE)

import ropewalk  # noqa: E402
import torch  # noqa: E402  (the environment has it)

LEAST = 200  # launches
# Findings that are true, as (entry, rule, name of the tensor): why.
TRUE_FINDINGS = {
    ("chunk_hgrn_bwd_kernel_o", "global-race", "dx"): (
        "the kernel has no barrier: each turn of its loop over chunks loads the first row of the chunk after its own, which other "
        "threads of the block have stored in the turn before"
    ),
}


def main():
    with ropewalk.machine(target="sm_80") as session:
        torch.set_default_device("cuda")  # the cases name none
        try:
            return check(session)
        finally:
            torch.set_default_device(None)


def check(session):
    environment.import_cases()
    from real_kernels.cases import CASES

    words = sys.argv[4:]
    chosen = {name: run for name, run in CASES.items() if not words or any(word in name for word in words)}
    wrong, met = [], set()
    found = []  # by the case that runs
    session.listeners.append(found.extend)
    started = time.monotonic()
    for name, run in chosen.items():
        torch.manual_seed(1)  # packages check themselves on random numbers
        found.clear()
        before, begun = session.launches, time.monotonic()
        try:
            used, count = run()
            values = f"{count} values right, {used:.2f} of the bound used"
        except Exception as error:  # of any package: the case failed, others go on
            values = f"FAILED: {type(error).__name__}: {error}"
            wrong.append(f"{name}: {values}\n{traceback.format_exc(limit=-4)}")
        if session.launches == before:
            wrong.append(f"{name}: no launch")
        untrue = [finding for finding in found if key_of(finding) not in TRUE_FINDINGS]
        met |= {key_of(finding) for finding in found}
        wrong += [f"{name}: {finding.text()}" for finding in untrue]
        print(f"{name}: {session.launches - before} launches, {values}, {len(untrue)} findings, "
              f"{time.monotonic() - begun:.1f} s", flush=True)
    wrong += [f"{entry} was not checked: {reason}" for entry, reason in session.not_run]
    print(f"{session.launches} launches in {len(chosen)} cases, {time.monotonic() - started:.0f} s")
    if not words:
        wrong += [f"{key}: not found, and it is true: {TRUE_FINDINGS[key]}" for key in TRUE_FINDINGS.keys() - met]
    if not words and session.launches < LEAST:
        wrong.append(f"{session.launches} launches, expected {LEAST} at least")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def key_of(finding):
    return finding.kernel["entry"], finding.rule, (finding.fields.get("access") or {}).get("tensor")


if __name__ == "__main__":
    sys.exit(main())
