"""Single calls of PyTorch as ropewalk.rope notes them, and what dump writes. Usage: torch_record.py ROPE_CHECK SOURCE FOLDER"""
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
ROPE_CHECK, SOURCE, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:4])
sys.path[:0] = [os.path.join(SOURCE, "tests"), os.path.join(SOURCE, "tools", "python")]
from python_environment import WITH_TORCH, run_inside  # noqa: E402

run_inside(FOLDER, WITH_TORCH)

import torch  # noqa: E402  (the environment has it)
import torch.distributed as distributed  # noqa: E402
from torch import nn  # noqa: E402

from ropewalk import files  # noqa: E402
from ropewalk.rope import dump, record  # noqa: E402
from torch_models import HEAD_DIM, LENGTH, LLAMA3, THETA, ComplexRope, FrequencyRope, Model, TableRope, frequencies  # noqa: E402

CONFIG = {"head_dim": HEAD_DIM, "max_position_embeddings": LENGTH, "rope_theta": THETA}
SCALED = {**CONFIG, "rope_scaling": LLAMA3}
TOKENS = torch.arange(16).reshape(2, 8)


class PersistentRope(TableRope):
    def build(self):
        super().build()
        self.register_buffer("cos", self.cos, persistent=True)
        self.register_buffer("sin", self.sin, persistent=True)


class ScaledRope(FrequencyRope):
    def __init__(self, when="always"):
        super().__init__()
        self.inv_freq = frequencies(LLAMA3)


class ZeroInit:
    """DeepSpeed's context as far as constructors of tensors go: from 0.9.4 on arange returns the context's dtype."""
    dtype = torch.bfloat16

    def __enter__(self):
        self.arange = torch.arange

        def arange(*arguments, **options):
            made = self.arange(*arguments, **options)
            return made.to(self.dtype) if made.is_floating_point() else made

        torch.arange = arange
        return self

    def __exit__(self, *_):
        torch.arange = self.arange
        return False


class Recorded(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def plan(self, name="recorded"):
        with open(os.path.join(self.folder, name + ".plan.json")) as file:
            return json.load(file)

    def events(self):
        """What was done, without the options that are as always."""
        return [one["do"] for one in self.plan()["events"]]

    def check(self, *arguments):
        done = subprocess.run([ROPE_CHECK, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def causes(self, plan="recorded"):
        report = os.path.join(self.folder, "report.json")
        self.check("init", os.path.join(self.folder, plan + ".plan.json"), "--report", report)
        with open(report) as file:
            return [(f["cause"] or {}).get("id") for f in json.load(file)["findings"]]

    def test_everything_is_put_back(self):
        before = {name: nn.Module.__dict__[name] for name in ("to_empty", "half", "register_buffer", "__init__", "load_state_dict")}
        with record(self.folder, CONFIG):
            Model(TableRope)(TOKENS)
            self.assertIsNot(nn.Module.__dict__["half"], before["half"])
        for name, original in before.items():
            self.assertIs(nn.Module.__dict__[name], original)
        self.assertNotIn("__init_subclass__", nn.Module.__dict__)
        self.assertNotIn("__wrapped__", vars(TableRope.reset_parameters))

    def test_a_model_that_is_only_built_and_run(self):
        with record(self.folder, CONFIG):
            Model(TableRope)(TOKENS)
        self.assertEqual(self.events(), ["construct", "build_cache", "register_buffer", "forward"])
        self.assertEqual(self.plan()["events"][-1]["positions"], 8)
        self.assertEqual(self.plan()["events"][0]["on"], "device")
        self.assertEqual(self.causes(), [])

    def test_the_configuration_is_read_off_the_values(self):
        for rope in (TableRope, FrequencyRope, ComplexRope):
            with record(self.folder):
                model = Model(rope)
                if rope is ComplexRope:
                    model.rope.freqs_cis = ComplexRope.build(None)
                model(TOKENS)
            config = self.plan()["config"]
            self.assertEqual((config["head_dim"], config["rope_theta"]), (HEAD_DIM, THETA), rope.__name__)

    def test_half_and_to(self):
        with record(self.folder, CONFIG):
            model = Model(FrequencyRope)
            model.half()
            model.float()
        casts = [one["dtype"] for one in self.plan()["events"] if one["do"] == "cast"]
        self.assertEqual(casts, ["f16", "f32"])

    def test_half_makes_the_tables_of_later_forwards_wrong(self):
        with record(self.folder, CONFIG):
            model = Model(FrequencyRope)
            model.rope.half()
            model(TOKENS)
        self.assertEqual(self.causes(), ["cast-then-regrown"])

    def test_to_out_of_meta_raises_and_is_told(self):
        with self.assertRaises(NotImplementedError):
            with record(self.folder, CONFIG):
                with torch.device("meta"):
                    model = Model(TableRope)
                model.to("cpu")
        self.assertEqual(self.events()[-1], "to")
        self.assertEqual(self.causes(), ["built-on-meta"])

    def test_load_state_dict_with_and_without_the_buffer(self):
        model = Model(PersistentRope)
        with record(self.folder, CONFIG):
            other = Model(PersistentRope)
            other.load_state_dict(model.state_dict())
            other(TOKENS)
        load = next(one for one in self.plan()["events"] if one["do"] == "load_checkpoint")
        self.assertEqual((load["has_buffer"], load["strict"], load["scaled"]), (True, True, True))
        self.assertTrue(self.plan()["buffers"]["rope.cos_sin"]["persistent"])
        self.assertEqual(self.causes(), [])

    def of_meta(self, rope, *steps):
        """The causes of both plans of a model that is built on meta and goes through the steps."""
        with record(self.folder, CONFIG):
            with torch.device("meta"):
                model = Model(rope)
            for step in steps:
                step(model)
            model(TOKENS)
        return self.causes(), self.causes("orders")

    def test_a_checkpoint_takes_the_place_of_meta_tensors_where_it_is_assigned(self):
        def saved():
            return Model(PersistentRope).state_dict()  # one that was assigned once is assigned ever after

        self.assertEqual(self.of_meta(PersistentRope, lambda m: m.load_state_dict(saved(), assign=True)), ([], []))
        self.assertTrue(self.plan()["events"][-2]["assign"])
        self.assertEqual(self.of_meta(PersistentRope, lambda m: m.load_state_dict(saved()))[0], ["built-on-meta"])

    def test_a_checkpoint_that_lacks_the_buffers_leaves_what_to_empty_gave(self):
        saved = {key: value for key, value in Model(PersistentRope).state_dict().items() if not key.startswith("rope")}
        keep = [torch.randn(4096) for _ in range(64)]
        del keep

        def load(model):
            model.to_empty(device="cpu")
            model.load_state_dict(saved, strict=False)

        self.assertEqual(self.of_meta(PersistentRope, load)[0], ["built-on-meta"])

    def test_a_checkpoint_in_bf16_rounds_a_table_of_f32(self):
        model = Model(PersistentRope)
        for dtype, wanted in ((torch.float32, []), (torch.bfloat16, ["table-cast"])):
            saved = {key: value.to(dtype) for key, value in model.state_dict().items()}
            with record(self.folder, CONFIG):
                other = Model(PersistentRope)
                other.load_state_dict(saved)
                other(TOKENS)
            self.assertEqual(self.causes(), wanted, dtype)

    def test_models_that_were_made_before_the_recording(self):
        distributed.init_process_group("gloo", init_method=f"file://{self.folder}/store", rank=0, world_size=1)
        self.addCleanup(distributed.destroy_process_group)
        for rope in (TableRope, PersistentRope, FrequencyRope):
            for use in (lambda model: nn.parallel.DistributedDataParallel(model)(TOKENS),
                        lambda model: (model.load_state_dict(model.state_dict()), model(TOKENS))):
                model = Model(rope)
                with record(self.folder, CONFIG):
                    use(model)
                self.assertEqual((self.causes(), self.causes("orders")), ([], []), rope.__name__)
                described = next(iter(self.plan()["buffers"].values()))
                self.assertEqual(described["persistent"], rope is PersistentRope)

    def test_what_is_wanted_is_the_dtype_of_the_constructor(self):
        for part, wanted in ((lambda model: model.rope.half(), ["cast-then-regrown"]),
                             (lambda model: model.rope.half().float(), ["cast-then-regrown"]),
                             (lambda model: model.layers.half().float(), [])):
            with record(self.folder, SCALED):
                model = Model(ScaledRope)
                part(model)
                model(TOKENS)
            self.assertEqual(self.causes(), wanted)

    def test_values_that_are_copied_into_a_cast_buffer_are_rounded(self):
        def cast_first(model):
            model.rope.to(torch.bfloat16)
            model.to_empty(device="cpu")
            model.rope.reset_parameters()

        def cast_never(model):
            model.to_empty(device="cpu")
            model.rope.reset_parameters()

        self.assertEqual(self.of_meta(FrequencyRope, cast_first)[0], ["cast-then-regrown"])
        self.assertEqual(self.of_meta(FrequencyRope, cast_never)[0], [])

    def test_a_reset_that_forgets_the_sines(self):
        right = TableRope()

        def fill(model):
            keep = [torch.randn(2048) * 0.01 for _ in range(256)]
            del keep
            model.to_empty(device="cpu")
            model.rope.cos.copy_(right.cos)

        self.assertEqual(self.of_meta(TableRope, fill)[0], ["built-on-meta"])
        self.assertEqual(sorted(self.plan()["buffers"]), ["rope.cos", "rope.sin"])

    def test_zero_init_rounds_what_is_made_of_floating_numbers_alone(self):
        sys.modules["deepspeed"] = types.SimpleNamespace(__version__="0.9.4", zero=types.SimpleNamespace(Init=ZeroInit))
        self.addCleanup(sys.modules.pop, "deepspeed")

        class FloatRope(TableRope):
            positions = {"dtype": torch.float32}

            def build(self):
                angles = torch.outer(torch.arange(4 * LENGTH, **self.positions).float(), frequencies())
                self.register_buffer("cos", angles.cos(), persistent=False)
                self.register_buffer("sin", angles.sin(), persistent=False)

        class IntegerRope(FloatRope):
            positions = {}

        for rope, wanted in ((FloatRope, ["dtype-forced-by-zero-init"]), (IntegerRope, [])):
            with record(self.folder, {**CONFIG, "max_position_embeddings": 4 * LENGTH}):
                with ZeroInit():
                    model = Model(rope)
                model(TOKENS.repeat(1, 64))
            self.assertEqual(self.causes(), wanted, rope.__name__)

    def test_a_cache_that_is_rebuilt_behind_our_back_is_seen(self):
        with record(self.folder, CONFIG):
            with torch.device("meta"):
                model = Model(TableRope)
            model.to_empty(device="cpu")
            right = TableRope()
            model.rope.cos.data.copy_(right.cos)
            model.rope.sin.data.copy_(right.sin)
            model(TOKENS)
        self.assertEqual(self.events().count("build_cache"), 2)
        self.assertEqual(self.causes(), [])

    def test_a_cache_that_grows_in_a_forward(self):
        class Growing(TableRope):
            def table(self, tokens):
                if tokens > self.cos.shape[0]:
                    angles = torch.outer(torch.arange(2 * tokens).float(), 1 / THETA ** (torch.arange(0, HEAD_DIM, 2) / HEAD_DIM))
                    self.cos, self.sin = angles.cos(), angles.sin()
                return super().table(tokens)

        with record(self.folder, CONFIG):
            model = Model(Growing)
            model(TOKENS)
            model(torch.zeros(1, LENGTH + 8, dtype=torch.long))
        self.assertEqual(self.events()[-3:], ["forward", "grow", "forward"])
        self.assertEqual(self.causes(), [])

    def test_classes_inside_zero_init(self):
        class Init:
            dtype = torch.float32

            def __enter__(self):
                return self

            def __exit__(self, *_):
                return False

        sys.modules["deepspeed"] = types.SimpleNamespace(__version__="0.9.3+cu118", zero=types.SimpleNamespace(Init=Init))
        self.addCleanup(sys.modules.pop, "deepspeed")
        with record(self.folder, CONFIG):
            with Init():
                class LateRotary(TableRope):
                    pass
                model = Model(LateRotary)
            model(TOKENS)
        self.assertEqual(self.events()[:3], ["enter_zero_init", "define_class", "construct"])
        self.assertEqual(self.plan()["events"][0]["deepspeed"], "0.9.3")
        self.assertEqual(self.causes(), ["class-defined-inside-zero-init"])

    def test_a_module_that_zero3_waits_for(self):
        def initialize(args=None, model=None):
            return types.SimpleNamespace(zero_optimization_stage=lambda: stage), None, None, None

        class Kernel(torch.nn.Module):
            def forward(self, q, cos, sin):
                raise AssertionError("a plain function is called in its place")

        class WithKernel(TableRope):
            def __init__(self, *arguments):
                super().__init__(*arguments)
                self.rotary_fn = Kernel()

        sys.modules["deepspeed"] = types.SimpleNamespace(__version__="0.18.0", initialize=initialize)
        self.addCleanup(sys.modules.pop, "deepspeed")
        for rope, stage, wanted in ((WithKernel, 3, ["module-never-called"]), (WithKernel, 2, []), (TableRope, 3, [])):
            with self.subTest(rope=rope.__name__, stage=stage):
                with record(self.folder, CONFIG):
                    model = Model(rope)
                    sys.modules["deepspeed"].initialize(None, model)
                    model(TOKENS)
                self.assertEqual(self.causes(), wanted)

    def test_wrappers_of_a_process_group(self):
        from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
        distributed.init_process_group("gloo", init_method=f"file://{self.folder}/store", rank=0, world_size=1)
        self.addCleanup(distributed.destroy_process_group)
        with record(self.folder, CONFIG):
            nn.parallel.DistributedDataParallel(Model(TableRope))(TOKENS)
        self.assertEqual(self.events()[-2:], ["broadcast", "forward"])
        with record(self.folder, CONFIG):
            FullyShardedDataParallel(Model(TableRope), device_id=torch.device("cpu"),
                                     mixed_precision=MixedPrecision(buffer_dtype=torch.bfloat16))
        shard = next(one for one in self.plan()["events"] if one["do"] == "shard")
        self.assertEqual((shard["by"], shard["buffer_dtype"]), ("fsdp1", "bf16"))

    def test_dumps_of_both_formats_are_judged(self):
        config = os.path.join(self.folder, "config.json")
        with open(config, "w") as file:
            json.dump(CONFIG, file)
        with torch.device("meta"):
            nothing = Model(TableRope)
        with self.assertRaisesRegex(ValueError, "on meta: rope.cos"):
            dump(nothing, self.folder)
        for rope in (TableRope, FrequencyRope):
            for saves in (files.save_file, None):
                kept, files.save_file = files.save_file, saves
                try:
                    paths = dump(Model(rope), os.path.join(self.folder, f"{rope.__name__}{saves is None}"), position_offset=0)
                finally:
                    files.save_file = kept
                code, text = self.check("cache", *paths, "--config", config)
                self.assertEqual(code, 0, text)
                self.assertEqual(paths[0].rsplit(".", 1)[1], "npy" if saves is None else "safetensors")

    def test_npy_widens_what_it_does_not_have(self):
        path = os.path.join(self.folder, "x.npy")
        files.write_npy(path, torch.tensor([[1.5, -2.0]], dtype=torch.bfloat16))
        import numpy
        self.assertEqual(numpy.load(path).tolist(), [[1.5, -2.0]])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
