"""Python programs on the virtual GPU: PyTorch's operators on "cuda" tensors, Triton's kernels under `rope-check run`, sessions in
code, pytest's plugin.
Usage: python_gpu.py ROPE_CHECK PACKAGE FOLDER_OF_TORCH FOLDER_OF_SOURCES FOLDER [unittest's options]"""

import json
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
ROPE_CHECK, PACKAGE, WITH_TORCH, SOURCES, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:6])
from real_kernels import environment  # noqa: E402

environment.run_inside(WITH_TORCH, SOURCES)
import python_environment  # noqa: E402

PROGRAMS = os.path.join(HERE, "python_gpu")
WHEELS = os.path.join(SOURCES, "sources", "wheels")
TESTERS = os.path.join(FOLDER, "testers")  # pytest and xdist
OLDER = os.path.join(FOLDER, "older")  # fla-core with the founding bug, and a Triton that it imports under

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]


def install(folder, *packages):
    """Once, in a folder for the PYTHONPATH."""
    if not os.path.exists(os.path.join(folder, "complete")):
        python_environment.pip(WITH_TORCH, "install", "--upgrade", "--target", folder, *packages)
        open(os.path.join(folder, "complete"), "w").close()


def program(name):
    return os.path.join(PROGRAMS, name)


def line_of(text, name="kernels.py"):
    with open(program(name)) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def run(*command, **environment_of_it):
    """Exit code and all that was printed."""
    done = subprocess.run(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment_of_it})
    return done.returncode, done.stdout


def checked(*command, options=(), **environment_of_it):
    """The same under `rope-check run`, with the report."""
    path = os.path.join(FOLDER, "report.json")
    if os.path.exists(path):
        os.remove(path)
    code, text = run(ROPE_CHECK, "run", *options, "--report", path, "--", *command, **environment_of_it)
    with open(path) as file:
        return code, text, json.load(file)


class OperatorsTest(unittest.TestCase):

    def test_they_compute_what_they_compute_on_the_cpu(self):
        code, text = run(sys.executable, program("operations.py"), PYTHONPATH=PACKAGE)
        self.assertEqual(code, 0, text)

    def test_they_refuse_what_they_refuse_on_a_gpu(self):
        code, text = run(sys.executable, program("device_rules.py"), PYTHONPATH=PACKAGE)
        self.assertEqual(code, 0, text)

    def test_autocast_casts_as_on_a_gpu(self):
        code, text = run(sys.executable, program("autocast.py"), PYTHONPATH=PACKAGE)
        self.assertEqual(code, 0, text)

    def test_they_answer_what_they_answer_on_a_gpu(self):
        code, text = run(sys.executable, program("gpu_answers.py"), PYTHONPATH=PACKAGE)
        self.assertEqual(code, 0, text)

    def test_those_of_a_program_are_chosen_by_device(self):
        code, text = run(sys.executable, program("custom_operators.py"), PYTHONPATH=PACKAGE)
        self.assertEqual(code, 0, text)


class KernelsTest(unittest.TestCase):

    def clean(self, *command, options=()):
        code, text, report = checked(sys.executable, *command, options=options)
        self.assertEqual((code, report["findings"]), (0, []), text)
        return text

    def found(self, case, *options):
        code, text, report = checked(sys.executable, program("kernels.py"), case, options=options)
        self.assertEqual((code, len(report["findings"])), (1, 1), text)
        return report["findings"][0]

    def test_right_kernels_are_silent_and_compute_what_they_should(self):
        for case in ("right", "all_types", "reads_written", "reads_written_copies", "pointers_in_memory",
                     "pointers_to_what_is_there_again", "tuned", "tuned_to_fit", "scalars", "backward", "custom_operator", "views",
                     "badly_tuned", "compiled", "autocast", "generators", "streams_and_events"):
            with self.subTest(case):
                self.clean(program("kernels.py"), case)

    def test_a_wrong_mask_is_found_at_its_line_with_the_stack(self):
        finding = self.found("wrong_mask")
        self.assertEqual(finding["rule"], "out-of-bounds-read")
        self.assertTrue(program("kernels.py").endswith(finding["location"]["file"]), finding["location"])
        self.assertEqual(finding["location"]["line"], line_of("one too many"))
        self.assertEqual((finding["access"]["tensor"], finding["access"]["dtype"], finding["access"]["index"]),
                         ("x", "f32", [1000]))
        stack = "\n".join(finding["evidence"])
        self.assertRegex(stack, rf"launched at scaled \({re.escape(program('kernels.py'))}:\d+\)\n  called by wrong_mask "
                         rf"\(.*:{line_of('assert torch.equal(scaled(x), 2 * x)')}\)\n  called by main ")

    def test_a_view_is_a_region_of_its_storage(self):
        for case in ("packed_neighbour", "packed_columns"):
            with self.subTest(case):
                code, text, report = checked(sys.executable, program("kernels.py"), case)
                self.assertEqual([code, *[(one["rule"], one["severity"], one["location"]["line"]) for one in report["findings"]]],
                                 [0, ("index-out-of-field", "warning", line_of("past the columns"))], text)
        finding = self.found("outside_of_the_storage")
        self.assertEqual((finding["rule"], finding["severity"], finding["location"]["line"]),
                         ("out-of-bounds-read", "error", line_of("past the columns")))

    def test_memory_that_is_gone_is_known_as_such(self):
        for case, where in (("pointers_to_what_is_gone", "tl.load(source + at"), ("number_of_what_is_gone", "tl.load(address.to(")):
            finding = self.found(case)
            self.assertEqual((finding["rule"], finding["location"]["line"]), ("use-after-free", line_of(where)))

    def test_autotuners_try_one_configuration_unless_all_are_asked_for(self):
        self.assertEqual(self.found("badly_tuned", "--all-configurations")["location"]["line"], line_of("second configuration"))

    def test_a_compiled_function_is_checked(self):
        self.assertEqual(self.found("compiled_wrong_mask")["location"]["line"], line_of("one too many"))

    def test_tensors_of_another_device_are_found(self):
        self.clean(program("kernels.py"), "on_its_device", options=["--devices", "2"])
        code, text, report = checked(sys.executable, program("kernels.py"), "on_another_device", options=["--devices", "2"])
        self.assertEqual((code, [(one["rule"], one["access"]["tensor"]) for one in report["findings"]]),
                         (1, [("illegal-address", "x"), ("illegal-address", "out")]), text)

    def test_graphs_do_when_they_are_replayed_what_was_captured(self):
        self.clean(program("graphs.py"))
        code, text, report = checked(sys.executable, program("graphs.py"), "wrong_mask")
        self.assertEqual((code, {one["rule"] for one in report["findings"]}), (1, {"out-of-bounds-read", "out-of-bounds-write"}), text)
        for finding in report["findings"]:
            self.assertIn(f"graphs.py:{line_of('# the launch', 'graphs.py')})", "".join(finding["evidence"]))

    def test_what_kernels_print_comes_when_the_program_waits(self):
        text = self.clean(program("kernels.py"), "prints")
        self.assertRegex(text, r"(?s)pid \(0, 0, 0\) .*first element: 17\n.*pid \(1, 0, 0\) .*first element: 17\n.*after synchronize")

    def test_memory_of_empty_is_not_written(self):
        for case in ("reads_unwritten", "reads_one_unwritten"):
            finding = self.found(case)
            self.assertEqual((finding["rule"], finding["access"]["tensor"]), ("uninitialized-read", "total"))
        self.assertEqual(finding["access"]["index"], [51])
        for kind in ("contiguous", "cat", "copy", "convert", "select", "resize"):
            with self.subTest(kind):
                code, text, report = checked(sys.executable, program("kernels.py"), "reads_unwritten_copy", kind)
                self.assertEqual([(finding["rule"], len(finding["footprint"]["elements"])) for finding in report["findings"]],
                                 [("uninitialized-read", 50)], text)

    def test_what_a_small_grid_leaves_is_noted_where_it_is_read(self):

        def notes(how, blocks):
            code, text, report = checked(sys.executable, program("kernels.py"), "grid_too_small", how, blocks)
            self.assertEqual((code, report["findings"]), (0, []), text)
            return report["notes"]

        noted, = notes("item", "1")
        line = line_of('"item": lambda')
        self.assertRegex(noted, f"^item at .*kernels.py:{line}.* reads an element that nobody wrote, number 70 of memory")
        for how in ("sum", "multiply", "cpu", "tolist", "add_", "clone"):
            with self.subTest(how):
                noted, = notes(how, "1")
                line = line_of(f'"{how}": lambda')
                self.assertRegex(noted, f"at .*kernels.py:{line}. reads a tensor of shape .100. .* nobody wrote 36 elements, the first at .64.")
                self.assertEqual(notes(how, "2"), [])
        for how in ("written", "overwritten", "shape"):
            with self.subTest(how):
                self.assertEqual(notes(how, "1"), [])

    def test_tensors_of_the_cpu_are_refused(self):
        code, text, report = checked(sys.executable, program("kernels.py"), "tensor_of_the_cpu")
        self.assertEqual((code, report["findings"]), (3, []), text)  # no kernel was launched
        self.assertNotIn("Error", text)

    def test_a_launch_takes_less_than_a_millisecond(self):
        print(self.clean(program("kernels.py"), "speed").splitlines()[0])

    def test_views_with_strides_of_zero_say_not_what_is_read(self):
        self.clean(program("triton_uses.py"), "restrided")
        code, text, report = checked(sys.executable, program("triton_uses.py"), "past_the_storage")
        self.assertEqual([(one["rule"], one["location"]["line"]) for one in report["findings"]],
                         [("out-of-bounds-read", line_of("past the view", "triton_uses.py"))], text)

    def test_code_of_inductor_starts(self):
        self.clean(program("inductor_code.py"), "right", options=["--devices", "2"])
        code, text, report = checked(sys.executable, program("inductor_code.py"), "unwritten", options=["--devices", "2"])
        self.assertEqual([(one["rule"], one["access"]["tensor"]) for one in report["findings"]],
                         [("uninitialized-read", "in_ptr0")], text)

    def test_an_assertion_is_said_to_be_in_its_kernel(self):
        code, text, report = checked(sys.executable, program("triton_uses.py"), "fails_an_assertion")
        self.assertEqual([one["rule"] for one in report["findings"]], ["device-assert"], text)
        self.assertRegex(report["findings"][0]["message"], "^assertion `is not positive` failed at .* in assert_kernel$")

    def test_an_instruction_of_inline_assembly_has_the_line_of_its_statement(self):
        code, text, report = checked(sys.executable, program("triton_uses.py"), "wrong_in_assembly")
        self.assertEqual([one["location"]["line"] for one in report["findings"]], [line_of("# in assembly", "triton_uses.py")], text)

    def test_what_programs_ask_of_compiled_kernels(self):
        for case in ("asks_for_machine_code", "dumps_what_it_compiles", "forgets_what_it_compiled"):
            with self.subTest(case):
                self.clean(program("triton_uses.py"), case)

    def test_frames_of_unittest_are_left_out(self):
        code, text, report = checked(sys.executable, program("triton_uses.py"), "tests")
        stack = "\n".join(report["findings"][0]["evidence"])
        self.assertRegex(stack, r"launched at gather .*\n  called by past_the_storage .*\n  called by InATest.test_past_the_storage "
                         r".*\n  called by tests .*\n  called by <module> ")

    def test_rotary_embedding_of_fla(self):
        self.clean(program("fla_rotary.py"), WHEELS)

    def test_the_founding_bug_as_its_user_met_it(self):
        install(OLDER, "--no-deps", "triton==3.6.0", "fla-core==0.5.2")
        environment_of_it = {"PYTHONPATH": OLDER, "TRITON_CACHE_DIR": os.path.join(FOLDER, "cache")}
        code, text, report = checked(sys.executable, program("founding_bug.py"), WHEELS, "right", **environment_of_it)
        self.assertEqual((code, report["findings"]), (0, []), text)
        code, text, report = checked(sys.executable, program("founding_bug.py"), WHEELS, "wrong", **environment_of_it)
        self.assertEqual(code, 1, text)
        finding = report["findings"][0]
        self.assertEqual((finding["rule"], finding["kernel"]["entry"], finding["access"]["shape"]),
                         ("out-of-bounds-read", "rotary_embedding_kernel", [2, 24, 4, 32]))
        self.assertEqual(finding["cause"]["id"], "model-width-for-head-dim", finding)
        with open(program("founding_bug.py")) as file:
            line = next(number for number, line in enumerate(file, 1) if "the layer's own line" in line)
        self.assertRegex("\n".join(finding["evidence"]), rf"called by RotaryEmbedding\.forward [^\n]*\n  called by Attention\.forward "
                         rf"\({re.escape(program('founding_bug.py'))}:{line}\)\n(.*\n)*  called by Model\.forward ")


class SeveralProcessesTest(unittest.TestCase):

    def torchrun(self, backend, *faulty):
        return checked(*TORCHRUN, program("ranks.py"), backend, *faulty, options=["--devices", "2"])

    def test_fully_sharded_models(self):
        _, text, report = checked(*TORCHRUN, program("fully_sharded.py"), options=["--devices", "2"])
        self.assertEqual((report["findings"], "ended with exit code" in text), ([], False), text)

    def test_right_ranks_are_silent(self):
        for backend, notes in (("gloo", 0), ("nccl", 1), ("none", 1)):
            with self.subTest(backend):
                code, text, report = self.torchrun(backend)
                self.assertEqual((code, report["findings"], report["summary"]["cases"]), (0, [], 6), text)
                self.assertEqual(text.count("NCCL is not there"), notes, text)

    def test_a_finding_says_its_ranks(self):
        for faulty in (["1"], ["0", "1"]):
            with self.subTest(faulty):
                code, text, report = self.torchrun("gloo", *faulty)
                self.assertEqual((code, [finding["rule"] for finding in report["findings"]]), (1, ["out-of-bounds-read"]), text)
                finding = report["findings"][0]
                self.assertEqual(finding["occurrences"]["ranks"], [int(rank) for rank in faulty])
                self.assertEqual((finding["access"]["tensor"], finding["access"]["index"]), ("x", [100]))

    def test_a_rank_without_a_device_is_told_the_option(self):
        code, text, report = checked(sys.executable, "-c", "import torch; torch.cuda.set_device(1)")
        self.assertNotEqual(code, 0)
        self.assertIn("invalid device ordinal (cuda:1 of 1; rope-check run --devices N makes more)", text)

    def test_visible_devices(self):
        command = [ROPE_CHECK, "run", "--devices", "3", "--"]
        for visible, said in (("0,1,2", "True [0, 1, 2] cuda:2 of 3"), ("2,0", "True [2, 0] cuda:1 of 2"),
                              ("", "False [] No CUDA GPUs are available")):
            _, text = run(*command, sys.executable, program("visible_devices.py"), CUDA_VISIBLE_DEVICES=visible)
            self.assertIn(said, text)
        _, text = run(*command, *TORCHRUN, program("visible_devices.py"), "rank")
        self.assertIn("True [2] cuda:0 of 1", text)
        self.assertIn("True [1] cuda:0 of 1", text)

    def test_spawned_processes(self):
        store, path = os.path.join(FOLDER, "store"), os.path.join(FOLDER, "report.json")
        if os.path.exists(store):
            os.remove(store)
        code, text = run(ROPE_CHECK, "run", "--devices", "2", "--report", path, "--", sys.executable, program("spawned.py"))
        with open(path) as file:
            report = json.load(file)
        self.assertEqual((code, [finding["occurrences"]["ranks"] for finding in report["findings"]]), (1, [[0, 1]]), text)


class InCodeTest(unittest.TestCase):

    def test_sessions(self):
        code, text = run(sys.executable, program("in_code.py"), PYTHONPATH=PACKAGE)
        self.assertEqual(code, 0, text)

    def test_sessions_under_run(self):
        code, text = run(ROPE_CHECK, "run", "--", sys.executable, program("custom_operators.py"), PYTHONPATH=PACKAGE)
        self.assertNotIn("exit code", text)
        self.assertEqual(code, 3, text)


class PytestTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        install(TESTERS, "pytest", "pytest-xdist")

    def check(self, code, text):
        self.assertEqual(code, 1, text)
        self.assertRegex(text, "5 failed, 3 passed, 1 xfailed")
        self.assertIn("[XPASS(strict)] it has gone", text)
        self.assertRegex(text, "FAILED .*sample_test.py::PartsTest::test_parts")
        for name in ("wrong_mask", "fails_by_itself", r"where_the_block_is_full\[100\]"):
            self.assertRegex(text, f"FAILED .*sample_test.py::test_{name}")
        self.assertIn("reads 4 bytes at x[1000], the first bytes past the end of x [1000]", text)
        self.assertRegex(text, r"2 findings")
        self.assertNotIn("Warning", text)

    def pytest(self, *options, tests="sample_test.py"):
        return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, program(tests)]

    def with_plugin(self, *options):
        """Of a test whose launch is not run."""
        return run(*self.pytest("-p", "ropewalk.pytest_plugin", "--ropewalk", *options, tests="not_run_test.py"),
                   PYTHONPATH=os.pathsep.join([PACKAGE, TESTERS]))

    def test_a_launch_that_was_not_run_is_told(self):
        for options in ((), ("-n", "2")):
            with self.subTest(options):
                code, text = self.with_plugin(*options)
                self.assertEqual(code, 3, text)
                self.assertRegex(text, "not checked: counting_kernel: .*%pm0.*\nnot all launches were checked\n")
                self.assertIn("1 passed", text)

    def test_an_unknown_target_is_a_usage_error(self):
        for target in ("sm_75", "colour"):
            code, text = self.with_plugin("--ropewalk-target", target)
            self.assertEqual((code, text.count("INTERNALERROR")), (4, 0), text)
            self.assertRegex(text, f"--ropewalk-target: .*{target}")

    def test_a_finding_fails_the_test_that_launched(self):
        self.check(*run(*self.pytest("-p", "ropewalk.pytest_plugin", "--ropewalk"),
                        PYTHONPATH=os.pathsep.join([PACKAGE, TESTERS])))

    def test_workers_tell_what_they_found(self):
        self.check(*run(*self.pytest("-p", "ropewalk.pytest_plugin", "--ropewalk", "-n", "2"),
                        PYTHONPATH=os.pathsep.join([PACKAGE, TESTERS])))

    def test_under_a_run(self):
        code, text, report = checked(*self.pytest(), PYTHONPATH=TESTERS)
        self.check(code, text)
        self.assertEqual([finding["occurrences"]["cases"] for finding in report["findings"]], [4], text)


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    del sys.argv[1:6]
    unittest.main(verbosity=2)
