"""Rope tables of the formulas' published implementation, transformers' own modules on the CPU, judged by rope-check cache.

  agreement.py ROPE_CHECK FOLDER [LENGTH]

For each variant a module is made from a configuration; the configuration is saved as transformers saves it (or written in
the old form), the module turns the positions 0 to LENGTH - 1 (2^20), and what it gives is dumped. rope-check must find
nothing, and says how near the values come to their bound. With a theta that is one percent off it must find something.
Where the registry gives no transformers and torch, the test is skipped.
"""
import importlib
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from python_environment import WITH_TORCH, run_inside, skip  # noqa: E402

BASE = {"hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 64,
        "max_position_embeddings": 8192}
EXT = [1 + 0.03 * i for i in range(32)], [1 + 0.9 * i for i in range(32)]
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "original_max_position_embeddings": 4096}


def rope(kind, theta=10000.0, **more):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": theta, **more}}


LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
GEMMA3 = {"full_attention": {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0},
          "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
GEMMA4 = {"full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
          "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
LAYERS = {"layer_types": ["sliding_attention", "full_attention"]}

# Name, model, configuration class, module class, fields; then the same configuration in the old form, where there is one.
VARIANTS = [
    ("default", "llama", "LlamaConfig", "LlamaRotaryEmbedding", rope("default"), {"rope_theta": 10000.0}),
    ("large theta", "llama", "LlamaConfig", "LlamaRotaryEmbedding", rope("default", 1e7), {"rope_theta": 1e7}),
    ("linear", "llama", "LlamaConfig", "LlamaRotaryEmbedding", rope("linear", factor=4.0),
     {"rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}),
    ("dynamic", "llama", "LlamaConfig", "LlamaRotaryEmbedding", rope("dynamic", factor=2.0),
     {"rope_theta": 10000.0, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}),
    ("yarn", "llama", "LlamaConfig", "LlamaRotaryEmbedding",
     rope("yarn", 1e6, factor=4.0, original_max_position_embeddings=2048),
     {"rope_theta": 1e6, "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}}),
    ("yarn, attention_factor", "llama", "LlamaConfig", "LlamaRotaryEmbedding",
     {"rope_parameters": {**YARN, "attention_factor": 1.25}}, None),
    ("yarn, mscale", "llama", "LlamaConfig", "LlamaRotaryEmbedding",
     {"rope_parameters": {**YARN, "mscale": 0.707, "mscale_all_dim": 1.0}}, None),
    ("yarn, betas", "llama", "LlamaConfig", "LlamaRotaryEmbedding",
     {"rope_parameters": {**YARN, "beta_fast": 64.0, "beta_slow": 2.0}}, None),
    ("yarn, not truncated", "gpt_oss", "GptOssConfig", "GptOssRotaryEmbedding",
     {**rope("yarn", 150000.0, factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
             original_max_position_embeddings=4096), "head_dim": 64}, None),
    ("llama3", "llama", "LlamaConfig", "LlamaRotaryEmbedding", rope("llama3", 5e5, **LLAMA3),
     {"rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", **LLAMA3}}),
    ("longrope", "phi3", "Phi3Config", "Phi3RotaryEmbedding",
     {**rope("longrope", short_factor=EXT[0], long_factor=EXT[1], original_max_position_embeddings=4096),
      "original_max_position_embeddings": 4096, "pad_token_id": 0},
     {"rope_theta": 10000.0, "original_max_position_embeddings": 4096,
      "rope_scaling": {"type": "su", "short_factor": EXT[0], "long_factor": EXT[1]}}),
    ("partial, rotary_pct", "gpt_neox", "GPTNeoXConfig", "GPTNeoXRotaryEmbedding",
     rope("default", partial_rotary_factor=0.25), {"rotary_pct": 0.25, "rotary_emb_base": 10000}),
    ("partial, StableLM", "stablelm", "StableLmConfig", "StableLmRotaryEmbedding",
     rope("default", partial_rotary_factor=0.5), {"rope_theta": 10000.0, "partial_rotary_factor": 0.5}),
    ("interleaved, Cohere", "cohere", "CohereConfig", "CohereRotaryEmbedding", rope("default", 8e6), {"rope_theta": 8e6}),
    ("Gemma 3, two thetas", "gemma3", "Gemma3TextConfig", "Gemma3RotaryEmbedding",
     {"rope_parameters": GEMMA3, "head_dim": 64, **LAYERS},
     {"rope_theta": 1e6, "rope_local_base_freq": 1e4, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}),
    ("proportional, Gemma 4", "gemma4", "Gemma4TextConfig", "Gemma4TextRotaryEmbedding",
     {"rope_parameters": GEMMA4, "head_dim": 64, "global_head_dim": 64, **LAYERS}, None),
    ("ModernBERT, two thetas", "modernbert", "ModernBertConfig", "ModernBertRotaryEmbedding",
     {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 160000.0},
                          "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}, **LAYERS}, None),
    ("mrope", "qwen2_vl", "Qwen2VLTextConfig", "Qwen2VLRotaryEmbedding",
     rope("default", 1e6, mrope_section=[8, 12, 12]),
     {"rope_theta": 1e6, "rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}}),
    ("mrope, interleaved", "qwen3_vl", "Qwen3VLTextConfig", "Qwen3VLTextRotaryEmbedding",
     {**rope("default", 5e6, mrope_section=[12, 10, 10], mrope_interleaved=True), "head_dim": 64}, None),
    ("mrope, ERNIE", "ernie4_5_vl_moe", "Ernie4_5_VLMoeTextConfig", "Ernie4_5_VLMoeTextRotaryEmbedding",
     rope("default", 5e5, mrope_section=[11, 11, 10]), None),
    ("axial, Qwen2-VL's tower", "qwen2_vl", "Qwen2VLVisionConfig", "Qwen2VLVisionRotaryEmbedding",
     {"embed_dim": 256, "num_heads": 4}, None),
    ("DeepSeek-V3", "deepseek_v3", "DeepseekV3Config", "DeepseekV3RotaryEmbedding",
     {"rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}, "qk_rope_head_dim": 64},
     {"rope_theta": 10000.0, "qk_rope_head_dim": 64,
      "rope_scaling": {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0,
                       "mscale_all_dim": 1.0}}),
    ("DeepSeek-V2, complex", "deepseek_v2", "DeepseekV2Config", "DeepseekV2RotaryEmbedding",
     {"rope_parameters": {**YARN, "mscale": 0.707, "mscale_all_dim": 0.707}, "qk_rope_head_dim": 64}, None),
    ("Llama 4, complex", "llama4", "Llama4TextConfig", "Llama4TextRotaryEmbedding",
     {**rope("llama3", 5e5, **LLAMA3), "head_dim": 64}, None),
    ("Ministral 3, temperature", "ministral3", "Ministral3Config", "Ministral3RotaryEmbedding",
     {**rope("yarn", 1e6, factor=16.0, original_max_position_embeddings=512, beta_fast=32.0, beta_slow=1.0, mscale=1.0,
             mscale_all_dim=1.0, llama_4_scaling_beta=0.1), "head_dim": 64}, None),
    ("dynamic, alpha", "hunyuan_v1_dense", "HunYuanDenseV1Config", "HunYuanDenseV1RotaryEmbedding",
     {**rope("dynamic", alpha=1000.0, factor=1.0), "head_dim": 64},
     {"rope_theta": 10000.0, "head_dim": 64, "rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}}),
]


def rotary_module(model, config_class, module_class, fields):
    package = f"transformers.models.{model}"
    config_type = getattr(importlib.import_module(f"{package}.configuration_{model}"), config_class)
    config = config_type(**fields) if "Vision" in config_class else config_type(**{**BASE, **fields})
    return config, getattr(importlib.import_module(f"{package}.modeling_{model}"), module_class)(config)


def tables_of(name, module, length):
    """What the module gives for the positions from 0 on, under the names that a dump of it has."""
    import torch
    positions = torch.arange(length)[None]
    if name.startswith("axial"):
        return {"visual.rotary_pos_emb.inv_freq": torch.from_numpy(module.inv_freq.numpy())}
    out = {}
    for layer_type in getattr(module, "layer_types", None) or [""]:
        result = module(torch.zeros(1), positions, *([layer_type] if layer_type else []))
        prefix = f"model.{layer_type}.rotary_emb." if layer_type else "model.rotary_emb."
        if torch.is_tensor(result):
            out[prefix + "freqs_cis"] = result[0].contiguous()
        else:
            out[prefix + "cos"], out[prefix + "sin"] = (one[0].contiguous() for one in result)
    return out


def with_other_theta(value):
    """The configuration with each theta one percent larger."""
    thetas = ("theta", "base_freq", "emb_base")
    if isinstance(value, dict):
        return {key: one * 1.01 if key.endswith(thetas) and isinstance(one, (int, float)) else with_other_theta(one)
                for key, one in value.items()}
    return value


def judged(program, dump, fields, folder):
    path = os.path.join(folder, "config.json")
    report = os.path.join(folder, "report.json")
    with open(path, "w") as file:
        json.dump(fields, file)
    result = subprocess.run([program, "cache", dump, "--config", path, "--report", report], capture_output=True, text=True)
    notes = json.load(open(report))["notes"] if result.returncode in (0, 1) else []
    near = [note.split(" of their bound")[0].split()[-1] for note in notes if "of their bound" in note]
    return result, near[0] if near else "-"


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    length = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 20
    run_inside(folder, WITH_TORCH)
    try:
        import torch
        import transformers
        from safetensors.torch import save_file
    except ImportError as error:
        skip(str(error))
    transformers.logging.set_verbosity_error()
    print(f"transformers {transformers.__version__}, {length} positions; the largest error is a part of its bound")
    failures = 0
    for n, (name, model, config_class, module_class, fields, old) in enumerate(VARIANTS):
        config, module = rotary_module(model, config_class, module_class, fields)
        tables = tables_of(name, module, length)
        # safetensors has no complex numbers.
        plain = not any(torch.is_complex(one) for one in tables.values())
        dump = os.path.join(folder, "cache.safetensors" if n % 2 and plain else "cache.pt")
        save_file(tables, dump) if dump.endswith(".safetensors") else torch.save(tables, dump)
        forms = {"as saved": json.loads(config.to_json_string(use_diff=False))}
        if old:
            forms["old form"] = {**BASE, **old}
        for form, written in forms.items():
            result, part = judged(program, dump, written, folder)
            wrong, _ = judged(program, dump, with_other_theta(written), folder)
            right = result.returncode == 0 and wrong.returncode == 1
            failures += not right
            print(f"{'ok' if right else 'WRONG':<6}{name:<26}{form:<10}{part:>8}  exits {result.returncode} and {wrong.returncode}")
            if not right:
                print(result.stdout[:1500] + result.stderr + wrong.stderr)
        os.remove(dump)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
