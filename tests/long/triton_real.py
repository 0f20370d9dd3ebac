"""Real Triton kernels of pip packages under rope-check: their own wrappers run on CPU tensors, forward and backward, and
every launch of theirs is compiled for sm_80, checked and run by rope-check. Values must agree with plain torch in float64,
and nothing may be found but what is listed here as true.
Usage: triton_real.py ROPE_CHECK FOLDER_OF_TORCH FOLDER [WORD...], of the cases whose names contain a word
"""

import os
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
ROPE_CHECK, WITH_TORCH, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:4])
from real_kernels import environment  # noqa: E402

environment.run_inside(WITH_TORCH, FOLDER)

import torch  # noqa: E402  (the environment has it)

from real_kernels import launch, stand_in_driver  # noqa: E402

LEAST = 200  # launches
# Findings that are true, as (entry, rule, name of the tensor): why.
TRUE_FINDINGS = {
    ("chunk_hgrn_bwd_kernel_o", "global-race", "dx"): (
        "the kernel has no barrier: each turn of its loop over chunks loads the first row of the chunk after its own, which other "
        "threads of the block have stored in the turn before"
    ),
}
# Fresh memory that a launch does not fill: entry: (parameters, why). Elsewhere every element of torch.empty's memory must be
# written by the launch that it is handed to, and none may be read before.
NOT_ALL_WRITTEN = {
    "_tv_distance_kernel": (["label_ptr"], "a tensor of one element stands for labels where there are none"),
    "_jsd_kernel": (["label_ptr"], "as in _tv_distance_kernel"),
    "_decode_index_score_kernel": (["score_ptr"], "rows are padded to a multiple of 16, and nobody reads the padding"),
    "_decode_topk_fused_kernel": (
        ["partial_ptr"],
        "made for the most chunks there may be; the merge reads those that there are",
    ),
    "chunk_kda_fwd_kernel_intra_token_parallel": (["Aqk", "Akk"], "blocks off the diagonal are the next kernel's"),
    "_rope_embedding_QK": (["K", "K_out"], "an empty tensor stands for k where q alone is rotated"),
    "_fwd_kernel_stage1": (
        ["Att_Out"],
        "splits past the end of a short sequence are left out, and the second stage skips them",
    ),
    "_fwd_grouped_kernel_stage1": (["Att_Out"], "as in _fwd_kernel_stage1"),
    "chunk_gla_fwd_A_kernel_intra_sub_inter": (
        ["A"],
        "blocks on the diagonal are the next kernel's, those above it nobody's",
    ),
}


def main():
    launches = launch.Launches(ROPE_CHECK, os.path.join(FOLDER, "launches"))
    launches.not_all_written = {entry: parameters for entry, (parameters, _) in NOT_ALL_WRITTEN.items()}
    stand_in_driver.install(launches.take)
    launch.poison_fresh_memory()
    environment.import_cases()
    from real_kernels.cases import CASES

    words = sys.argv[4:]
    chosen = {name: run for name, run in CASES.items() if not words or any(word in name for word in words)}
    wrong = []
    started = time.monotonic()
    for name, run in chosen.items():
        torch.manual_seed(1)  # packages check themselves on random numbers
        before, launches.case, begun = len(launches.made), name, time.monotonic()
        try:
            used, count = run()
            values = f"{count} values right, {used:.2f} of the bound used"
        except Exception as error:  # of any package: the case failed, others go on
            values = f"FAILED: {type(error).__name__}: {error}"
            wrong.append(f"{name}: {values}\n{traceback.format_exc(limit=-4)}")
        made = launches.made[before:]
        if not made:
            wrong.append(f"{name}: no launch")
        untrue = [(one, finding) for one in made for finding in one.findings if key_of(one, finding) not in TRUE_FINDINGS]
        wrong += [f"{name}: {one.entry}: {finding['rule']}: {finding['message']}\n  {one.folder}" for one, finding in untrue]
        print(
            f"{name}: {len(made)} launches, {values}, {len(untrue)} findings, {time.monotonic() - begun:.1f} s, "
            f"{sum(one.seconds for one in made):.1f} s of it rope-check's",
            flush=True,
        )
    total = len(launches.made)
    print(
        f"{total} launches of {len({one.entry for one in launches.made})} kernels in {len(chosen)} cases, "
        f"{sum(1 for one in launches.made if one.findings)} with findings, {time.monotonic() - started:.0f} s"
    )
    if not words:
        met = {key_of(one, finding) for one in launches.made for finding in one.findings}
        wrong += [f"{key}: not found, and it is true: {TRUE_FINDINGS[key]}" for key in TRUE_FINDINGS.keys() - met]
    if not words and total < LEAST:
        wrong.append(f"{total} launches, expected {LEAST} at least")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def key_of(one, finding):
    return one.entry, finding["rule"], (finding.get("access") or {}).get("tensor")


if __name__ == "__main__":
    sys.exit(main())
