"""Rope tables of the published implementation of the formulas, transformers, on the CPU, judged by rope-check cache.

  agreement.py ROPE_CHECK FOLDER [LENGTH]

For each variant a configuration and its table of LENGTH rows (2^20) are
written; rope-check must find nothing. Then the same table with another variant's configuration must be found. Where the
registry gives no transformers and torch, the test is skipped.
"""
import fcntl
import json
import os
import subprocess
import sys
import venv

SKIPPED = 77  # SKIP_RETURN_CODE of this test
PACKAGES = ["transformers", "torch", "numpy", "safetensors"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run_inside(folder):
    """Goes on under a Python that has the packages; it is made in `folder` once."""
    home = os.path.join(folder, "venv")
    python = os.path.join(home, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(home):
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if not os.path.exists(os.path.join(folder, "complete")):
            try:
                venv.create(home, with_pip=True, clear=True)
                subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True, capture_output=True, text=True)
            except subprocess.CalledProcessError as error:
                skip(f"{error}: {(error.stderr or '')[-300:]}")
            except OSError as error:
                skip(f"no virtual environment can be made ({error})")
            open(os.path.join(folder, "complete"), "w").close()
    sys.stdout.flush()
    os.execve(python, [python, *sys.argv], dict(os.environ))


BASE = {"hidden_size": 512, "num_attention_heads": 8, "head_dim": 64, "max_position_embeddings": 8192}
EXT = [1 + 0.03 * i for i in range(32)], [1 + 0.9 * i for i in range(32)]
VARIANTS = {
    "default": {"rope_type": "default", "rope_theta": 10000.0},
    "large theta": {"rope_type": "default", "rope_theta": 10000000.0},
    "linear": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0},
    "yarn": {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 2048},
    "yarn not truncated": {"rope_type": "yarn", "rope_theta": 150000.0, "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
                           "original_max_position_embeddings": 4096, "truncate": False},
    "yarn mscale": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "original_max_position_embeddings": 4096,
                    "mscale": 0.707, "mscale_all_dim": 1.0},
    "longrope": {"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": EXT[0], "long_factor": EXT[1],
                 "original_max_position_embeddings": 4096},
    "llama3": {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 8192},
    "proportional": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
    "partial": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5},
}


def frequencies(parameters, length):
    """transformers' own inverse frequencies and attention factor."""
    import torch
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    config = LlamaConfig(**BASE, rope_parameters=dict(parameters))
    if "partial_rotary_factor" in parameters:
        config.partial_rotary_factor = parameters["partial_rotary_factor"]
    kind = parameters["rope_type"]
    if kind == "default":
        from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
        if "partial_rotary_factor" in parameters:
            from transformers.models.stablelm.modeling_stablelm import StableLmRotaryEmbedding as Embedding
        else:
            Embedding = LlamaRotaryEmbedding
        return Embedding.compute_default_rope_parameters(config, "cpu")
    return ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=length)


def table(parameters, length, dtype):
    import torch
    inverse, attention = frequencies(parameters, length)
    angles = torch.outer(torch.arange(length, dtype=torch.float32), inverse.float())
    return {"cos": (angles.cos() * attention).to(dtype).contiguous(), "sin": (angles.sin() * attention).to(dtype).contiguous()}


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    length = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 20
    run_inside(folder)
    try:
        import torch
        from safetensors.torch import save_file
    except ImportError as error:
        skip(str(error))
    failures = 0
    names = list(VARIANTS)
    for n, name in enumerate(names):
        config = os.path.join(folder, "config.json")
        dump = os.path.join(folder, "cache.safetensors" if n % 2 else "cache.pt")
        dtype = (torch.float32, torch.bfloat16, torch.float16)[n % 3] if length < 1 << 20 else torch.float32
        made = table(VARIANTS[name], length, dtype)
        save_file(made, dump) if n % 2 else torch.save(made, dump)
        for other in (name, names[(n + 1) % len(names)]):
            with open(config, "w") as file:
                json.dump({**BASE, "rope_parameters": VARIANTS[other]}, file)
            result = subprocess.run([program, "cache", dump, "--config", config], capture_output=True, text=True)
            expected = 0 if other == name else 1
            verdict = "ok" if result.returncode == expected else "WRONG"
            failures += verdict != "ok"
            print(f"{verdict}: table {name}, configuration {other}, {length} rows, {dtype}: exit {result.returncode}")
            if verdict != "ok":
                print(result.stdout + result.stderr)
        os.remove(dump)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
