"""Every rotary module of three versions of transformers, with its own default configuration, judged by rope-check cache.

  rotary_modules.py ROPE_CHECK FOLDER [VERSION ...]

For each version the modules are built twice: alone, from each configuration of their package that they take, and inside
whole models, which are built on the meta device but for their rotary modules. The buffers are dumped under the names
that they have there, with what the forward gives for the positions of a text or the cells of an image, and judged with
the configuration as save_pretrained writes it and with all of its fields. Each dump must be right, or be said to be
unknown (exit 3, with the reason): a finding, or an error, is a false alarm. Where the registry gives no transformers
and torch the test is skipped.
"""
import collections
import importlib
import inspect
import os
import re
import signal
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import python_environment  # noqa: E402

VERSIONS = ["5.23.0", "4.57.6", "4.45.2"]
LEAST = {"5.23.0": 250, "4.57.6": 100, "4.45.2": 15}  # dumps of modules alone; fewer means that nothing was looked at
ROTARY = re.compile(r"Rotary|RoPE|Rope|Rotation")
LARGER = re.compile(r"Attention|Attn|Model|Layer|Block")
MOST_ROWS = 16384  # of a forward; longer tables are as right as their buffers


def target_of(folder, version):
    return os.path.join(folder, "transformers-" + version)


def fetch(folder, version):
    """transformers of this version and what it needs, beside the environment with torch."""
    target = target_of(folder, version)
    done = os.path.join(target, "complete")
    if not os.path.exists(done):
        python_environment.pip(folder, "install", "--upgrade", "--target", target, "transformers==" + version)
        open(done, "w").close()


def rotary_classes(module):
    import torch
    for name, one in sorted(vars(module).items()):
        if inspect.isclass(one) and issubclass(one, torch.nn.Module) and one.__module__ == module.__name__:
            if ROTARY.search(name) and not LARGER.search(name):
                yield name, one


def modeling_files(folder):
    for file in sorted(os.listdir(folder)):
        if file.startswith("modeling_") and file.endswith(".py") and not re.match("modeling_(tf|flax)_", file):
            if ROTARY.search(open(os.path.join(folder, file)).read()):
                yield file[:-3]


def configurations(package, folder):
    from transformers import PretrainedConfig
    found = []
    for file in sorted(os.listdir(folder)):
        if not (file.startswith("configuration_") and file.endswith(".py")):
            continue
        module = importlib.import_module(f"transformers.models.{package}.{file[:-3]}")
        for one in vars(module).values():
            if inspect.isclass(one) and issubclass(one, PretrainedConfig) and one.__module__ == module.__name__:
                found.append(one)
    return found


def buffers_of(module):
    import torch
    tensors = dict(module.named_buffers(recurse=False))
    tensors.update({name: value for name, value in vars(module).items() if torch.is_tensor(value)})
    return {name: value.detach().clone().contiguous() for name, value in tensors.items()
            if not value.is_meta and value.numel() > 1 and (value.is_floating_point() or value.is_complex())}


def forwards_of(module, config):
    """cos and sin of the positions of a text, where the forward takes position_ids."""
    import torch
    rows = getattr(config, "max_position_embeddings", None)
    names = list(inspect.signature(module.forward).parameters)
    if not isinstance(rows, int) or rows > MOST_ROWS or "position_ids" not in names:
        return {}
    positions = torch.arange(rows)[None]
    types = getattr(module, "layer_types", None)
    tables = {}
    for layer_type in sorted(set(types)) if isinstance(types, (list, tuple, set)) else [None]:
        for ids in (positions, positions[None].expand(3, 1, rows)):
            arguments = {"position_ids": ids}
            if "x" in names:
                arguments["x"] = torch.zeros(1, 1, 8)
            if layer_type and "layer_type" in names:
                arguments["layer_type"] = layer_type
            try:
                result = module(**arguments)
            except Exception:  # another kind of position
                continue
            prefix = f"{layer_type}." if layer_type else ""
            if torch.is_tensor(result) and result.is_complex():
                tables[prefix + "freqs_cis"] = result[0].clone()
            elif isinstance(result, tuple) and len(result) == 2:
                pair = [one.reshape(-1, one.shape[-1]) for one in result]
                if pair[0].shape[0] == rows:
                    tables[prefix + "cos"], tables[prefix + "sin"] = (one.contiguous().clone() for one in pair)
            break
    return tables


def images_of(module, config):
    """cos and sin of the cells of an image of the configuration's size, where the forward has places for them."""
    import torch
    size, patch = getattr(config, "image_size", None), getattr(config, "patch_size", None)
    if not isinstance(size, int) or not isinstance(patch, int) or (size // patch) ** 2 > MOST_ROWS:
        return {}
    side = size // patch
    if "pixel_values" in inspect.signature(module.forward).parameters:
        result = module(torch.zeros(1, 3, size, size))
    elif config.model_type == "pixtral":
        cells = torch.cartesian_prod(torch.arange(side), torch.arange(side))
        index = module.inv_freq.dim() == 2  # a row of angles for each cell
        result = module(torch.zeros(1), cells[:, 0] * side + cells[:, 1] if index else cells)
    else:
        return {}
    return {name: one.reshape(side * side, -1).clone() for name, one in zip(("cos", "sin"), result)}


class Judge:
    def __init__(self, program, folder):
        self.program, self.folder, self.counts, self.alarms = program, folder, collections.Counter(), []

    def __call__(self, name, tensors, config):
        import torch
        dump, path = os.path.join(self.folder, "module.pt"), os.path.join(self.folder, "config.json")
        torch.save(tensors, dump)
        for diff in (False, True):
            try:
                text = config.to_json_string(use_diff=diff)
            except Exception:  # some configurations cannot be written as a difference
                continue
            with open(path, "w") as file:
                file.write(text)
            result = subprocess.run([self.program, "cache", dump, "--config", path], capture_output=True, text=True)
            self.counts[{0: "right", 3: "unknown"}.get(result.returncode, "false alarms")] += 1
            if result.returncode not in (0, 3):
                self.alarms.append(f"{name}: exit {result.returncode}\n{result.stdout[:1500]}{result.stderr}")


def modules_alone(package, folder, judge):
    """Number of dumps."""
    import torch
    dumps = 0
    known = configurations(package, folder)
    for file in modeling_files(folder):
        module = importlib.import_module(f"transformers.models.{package}.{file}")
        for name, one in rotary_classes(module):
            if "config" not in inspect.signature(one.__init__).parameters:
                continue  # whole models build it
            for config_class in known:
                try:
                    torch.manual_seed(0)
                    config = config_class()
                    built = one(config=config).float()
                    tensors = {"rotary_emb." + key: value for key, value in
                               {**buffers_of(built), **forwards_of(built, config), **images_of(built, config)}.items()}
                except Exception:  # not a configuration that this module takes
                    continue
                if tensors:
                    judge(f"{package}.{name}({config_class.__name__})", tensors, config)
                    dumps += 1
    return dumps


def on_the_cpu(one, wrapped):
    """Lets a class build its tensors on the CPU, whatever device is the default."""
    import torch
    if one in wrapped:
        return
    wrapped.add(one)
    original = one.__init__

    def init(self, *arguments, **named):
        with torch.device("cpu"):
            original(self, *arguments, **{key: "cpu" if key == "device" else value for key, value in named.items()})
    one.__init__ = init


def whole_models(judge, wrapped):
    import torch
    import transformers
    from transformers.models.auto import configuration_auto
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES
    dumps = 0
    for kind, name in sorted(MODEL_MAPPING_NAMES.items()):
        try:
            package = configuration_auto.model_type_to_module_name(kind)
            folder = os.path.dirname(importlib.import_module(f"transformers.models.{package}").__file__)
            files = list(modeling_files(folder))
            if not files:
                continue
            rotary = set()
            for file in files:
                for _, one in rotary_classes(importlib.import_module(f"transformers.models.{package}.{file}")):
                    on_the_cpu(one, wrapped)
                    rotary.add(one)
            signal.alarm(60)
            config = configuration_auto.CONFIG_MAPPING[kind]()
            with torch.device("meta"):
                model = getattr(transformers, name if isinstance(name, str) else name[0])(config)
        except Exception as error:  # needs a library or sizes that are not here
            print(f"  left out: {kind}: {str(error)[:100]}")
            continue
        finally:
            signal.alarm(0)
        tensors = {}
        for path, module in model.named_modules():
            if any(isinstance(module, one) for one in wrapped):
                tensors.update({f"{path}.{key}" if path else key: value for key, value in buffers_of(module).items()})
        if tensors:
            judge(kind, tensors, config)
            dumps += 1
        del model
    return dumps


def judge_version(program, folder, version):
    """In a process of its own: one version of transformers. The number of false alarms."""
    sys.path.insert(0, target_of(folder, version))
    warnings.filterwarnings("ignore")
    import transformers
    transformers.logging.set_verbosity_error()
    if transformers.__version__ != version:
        print(f"expected transformers {version}, found {transformers.__version__}")
        return 1

    def late(*_):
        raise TimeoutError("takes more than a minute")
    signal.signal(signal.SIGALRM, late)
    scratch = os.path.join(folder, "dumps-" + version)
    os.makedirs(scratch, exist_ok=True)
    judge = Judge(program, scratch)
    models, alone = os.path.join(os.path.dirname(transformers.__file__), "models"), 0
    for package in sorted(os.listdir(models)):
        if os.path.exists(os.path.join(models, package, "__init__.py")):
            try:
                alone += modules_alone(package, os.path.join(models, package), judge)
            except ImportError as error:
                print(f"  left out: {package}: {str(error)[:100]}")
    whole = whole_models(judge, set())
    for alarm in judge.alarms:
        print(alarm)
    print(f"transformers {version}: {alone} modules alone, {whole} models; {dict(judge.counts)}", flush=True)
    return len(judge.alarms) + (alone < LEAST.get(version, 1))


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    python_environment.run_inside(folder, python_environment.WITH_TORCH)
    if len(sys.argv) == 4:
        return min(1, judge_version(program, folder, sys.argv[3]))
    failed = 0
    for version in VERSIONS:
        fetch(folder, version)
        failed += subprocess.run([sys.executable, __file__, program, folder, version]).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
