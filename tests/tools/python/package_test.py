"""The parts of the Python package that need no torch. Usage: package_test.py SOURCE_FOLDER ROPE_CHECK"""
import os
import subprocess
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
ROOT, ROPE_CHECK = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
PYTHON = os.path.join(ROOT, "tools", "python")
sys.path.insert(0, PYTHON)
from ropewalk import library, report, stack  # noqa: E402
from ropewalk.patches import Patches  # noqa: E402


def run(folder, program, **environment):
    """A Python of its own, as `rope-check run` starts one."""
    startup = os.path.join(PYTHON, "ropewalk", "startup")
    path = os.pathsep.join([startup, folder])
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path, "ROPEWALK_RUN": folder, **environment})
    return done.stdout + done.stderr


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


class PatchesTest(unittest.TestCase):

    def test_what_was_replaced_comes_back_and_what_was_added_goes(self):
        owner, patches = types.SimpleNamespace(here=1), Patches()
        patches.set(owner, "here", 2)
        patches.set(owner, "here", 3)
        patches.set(owner, "new", 4)
        patches.set_known(owner, "unknown", 5)
        self.assertEqual(vars(owner), {"here": 3, "new": 4})
        patches.restore()
        self.assertEqual(vars(owner), {"here": 1})

    def test_what_a_class_inherits_is_inherited_again(self):
        base = type("Base", (), {"name": "base"})
        derived, patches = type("Derived", (base,), {}), Patches()
        patches.set(derived, "name", "patched")
        self.assertEqual((base.name, derived.name), ("base", "patched"))
        patches.restore()
        self.assertEqual((derived.name, "name" in vars(derived)), ("base", False))


class FindingTest(unittest.TestCase):
    FIELDS = {"rule": "out-of-bounds", "severity": "error", "message": "reads element 9 of x", "kernel": {"name": "k"},
              "location": {"file": "k.py", "line": 7},
              "evidence": ["launch 1 of the kernel", "launched at f (m.py:3)", "  called by main (m.py:9)", "x is lent"]}

    def test_keys_are_attributes(self):
        finding = report.Finding(self.FIELDS)
        self.assertEqual((finding.rule, finding.file, finding.line, finding.is_error), ("out-of-bounds", "k.py", 7, True))
        with self.assertRaisesRegex(AttributeError, "has no colour; it has rule"):
            finding.colour

    def test_the_stack_is_read_from_the_evidence(self):
        self.assertEqual(report.Finding(self.FIELDS).stack, ["f (m.py:3)", "main (m.py:9)"])
        self.assertEqual(report.Finding({**self.FIELDS, "evidence": []}).stack, [])

    def test_a_report_is_clean_only_where_all_ran(self):
        self.assertTrue(report.Report({"findings": []}).is_clean)
        self.assertFalse(report.Report({"findings": [], "not_run": [{"case": "k"}]}).is_clean)
        self.assertFalse(report.Report({"findings": [self.FIELDS]}).is_clean)


class CheckTest(unittest.TestCase):

    def setUp(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = os.pathsep.join([os.path.dirname(ROPE_CHECK), path])

    def test_a_launch_file_becomes_a_report(self):
        launches = os.path.join(ROOT, "tests", "tools", "launches")
        self.assertTrue(report.check(os.path.join(launches, "gather.json")).is_clean)
        found = report.check(os.path.join(launches, "gather_past_the_end.json"))
        self.assertEqual([(finding.rule, finding.line, finding.access["tensor"]) for finding in found.findings],
                         [("out-of-bounds-read", 16, "table")])
        self.assertFalse(found.is_clean)

    def test_what_is_refused_is_told(self):
        with self.assertRaisesRegex(ValueError, "nowhere.json"):
            report.check("nowhere.json")


class StackTest(unittest.TestCase):

    def test_frames_of_libraries_are_left_out(self):
        code = compile("def through(call): return call()", f"{os.sep}x{os.sep}torch{os.sep}nn.py", "exec")
        space = {}
        exec(code, space)
        frames = space["through"](lambda: stack.of_program(sys._getframe()))
        self.assertIn("package_test.py:", frames[0])
        self.assertFalse([frame for frame in frames if f"{os.sep}torch{os.sep}" in frame])


class LibraryTest(unittest.TestCase):

    def test_a_library_that_is_not_there_is_named(self):
        before = os.environ.get("ROPEWALK_LIBRARY")
        os.environ["ROPEWALK_LIBRARY"] = "/nowhere/libropewalk.so"
        try:
            with self.assertRaisesRegex(library.Error, "there is no /nowhere/libropewalk.so"):
                library.path()
        finally:
            os.environ.pop("ROPEWALK_LIBRARY")
            if before:
                os.environ["ROPEWALK_LIBRARY"] = before


class StartupTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_the_next_sitecustomize_runs_too(self):
        write(self.folder, "sitecustomize.py", "print('the next')\n")
        self.assertEqual(run(self.folder, "import sitecustomize; print(sitecustomize.__file__)"),
                         f"the next\n{os.path.join(self.folder, 'sitecustomize.py')}\n")

    def test_nothing_is_loaded_before_torch_is(self):
        self.assertEqual(run(self.folder, "import sys; print([name for name in ('torch', 'ctypes', 'ropewalk.cuda') "
                             "if name in sys.modules])"), "[]\n")

    def test_importing_torch_puts_the_devices_in_place(self):
        write(self.folder, "torch.py", "print('torch is imported')\n")
        told = run(self.folder, "import torch", ROPEWALK_LIBRARY="/nowhere/libropewalk.so")
        self.assertIn("torch is imported\n", told)
        self.assertIn("there is no /nowhere/libropewalk.so", told)

    def test_without_a_run_nothing_is_watched(self):
        write(self.folder, "torch.py", "print('torch is imported')\n")
        self.assertEqual(run(self.folder, "import torch", ROPEWALK_RUN=""), "torch is imported\n")


if __name__ == "__main__":
    unittest.main()
