"""Initialisations as PyTorch does them, on 2 and 4 processes (gloo): what the dumps say and what the recorded plans say
must agree with what happened. Usage: torch_init.py ROPE_CHECK SOURCE FOLDER [SCENARIO...]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROPE_CHECK, SOURCE, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:4])
sys.path.insert(0, os.path.join(SOURCE, "tests"))
sys.path.insert(0, os.path.join(SOURCE, "tools", "python"))
from python_environment import WITH_TORCH, run_inside  # noqa: E402

run_inside(FOLDER, WITH_TORCH)

import torch.distributed as distributed  # noqa: E402  (the environment has it)
import torch.multiprocessing as processes  # noqa: E402

from ropewalk.rope import dump, record  # noqa: E402
from torch_models import HEAD_DIM, LENGTH, LLAMA3, THETA, ComplexRope  # noqa: E402
from torch_scenarios import SCENARIOS, mesh_of, run  # noqa: E402


def config_of(rope):
    config = {"head_dim": HEAD_DIM, "max_position_embeddings": LENGTH, "rope_theta": THETA}
    return {**config, "rope_scaling": LLAMA3} if rope is ComplexRope else config


def work(rank, size, folder, names):
    """One rank: every scenario, one after the other."""
    distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size)
    kept = []  # so that no scenario finds the tables of another in memory that was freed
    for name in names:
        rope, when, steps, _, _ = SCENARIOS[name]
        out = os.path.join(folder, name)
        with record(out, config=config_of(rope), name=name):
            model = run(rope, when, steps, mesh_of(size))
        dump(model, out)
        kept.append(model)
    distributed.barrier()
    distributed.destroy_process_group()


def report_of(folder, name, *arguments):
    """Exit code and findings of a run of rope-check."""
    path = os.path.join(folder, name + ".json")
    done = subprocess.run([ROPE_CHECK, *arguments, "--report", path], capture_output=True, text=True, check=False)
    if not os.path.exists(path):
        raise SystemExit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    findings = json.loads(pathlib.Path(path).read_text())["findings"]
    return done.returncode, [(f["cause"] or {}).get("id") for f in findings], done.stdout + done.stderr


def disagreements(folder, name, size):
    rope, _, _, of_dump, of_plan = SCENARIOS[name]
    out = os.path.join(folder, name)
    config = os.path.join(out, "config.json")
    pathlib.Path(config).write_text(json.dumps(config_of(rope)))
    dumps = [os.path.join(out, f"rank{rank}.safetensors") for rank in range(size)]
    print(f"{size} ranks, {name}", end="", flush=True)
    for what, wanted, arguments in (("dump", of_dump, ["cache", *dumps, "--config", config]),
                                    ("plan", of_plan, ["init", os.path.join(out, "recorded.plan.json")])):
        code, causes, text = report_of(out, what, *arguments)
        print(f"  {what}: {', '.join(map(str, causes)) or 'clean'}", end="")
        right = (code == 0 and not causes) if wanted is None else (code == 1 and set(causes) == {wanted})
        if not right:
            yield f"{size} ranks, {name}: {what}: expected {wanted}, found {causes} (exit {code})\n{text}"
    code, causes, text = report_of(out, "orders", "init", os.path.join(out, "orders.plan.json"))
    print(f"  orders: {', '.join(map(str, causes)) or 'clean'}")
    if code not in (0, 1) or (of_plan is not None and of_plan not in causes):
        yield f"{size} ranks, {name}: orders: exit {code}, {causes}\n{text}"


def main():
    names = sys.argv[4:] or list(SCENARIOS)
    wrong = []
    for size in (2, 4):
        with tempfile.TemporaryDirectory() as folder:
            processes.spawn(work, (size, folder, names), nprocs=size)
            for name in names:
                wrong += disagreements(folder, name, size)
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
