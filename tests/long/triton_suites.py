"""Test files of projects with Triton kernels, as they stand in their sources, under `rope-check run -- pytest`: all that pass on a
GPU pass, and nothing is found. What is launched takes at most a twentieth of what Triton's interpreter takes.
Usage: triton_suites.py ROPE_CHECK FOLDER_OF_TORCH FOLDER_OF_SOURCES FOLDER [unittest's options]

ROPEWALK_FLASH_LINEAR_ATTENTION is a checkout of the repository, whose archives have no tests; without it those are skipped."""
import json
import os
import re
import subprocess
import sys
import tarfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
ROPE_CHECK, WITH_TORCH, SOURCES, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:5])
from real_kernels import environment  # noqa: E402

environment.run_inside(WITH_TORCH, SOURCES)
import python_environment  # noqa: E402

LIGER = "liger-kernel==0.8.5"
SECONDS = 1800  # of one file


def fetched(name, *arguments):
    """A folder that pip fills once."""
    folder = os.path.join(FOLDER, name)
    if not os.path.exists(os.path.join(folder, "complete")):
        python_environment.pip(WITH_TORCH, *arguments, folder)
        open(os.path.join(folder, "complete"), "w").close()
    return folder


def liger():
    folder = fetched("liger", "download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", LIGER, "--dest")
    root = os.path.join(folder, LIGER.replace("==", "-").replace("liger-", "liger_"))
    if not os.path.exists(root):
        with tarfile.open(root + ".tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return root


class SuitesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.testers = fetched("testers", "install", "pytest", "einops", "--target")

    def pytest(self, root, path, *selection, options=(), **environment_of_it):
        """Exit code and what was printed."""
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rf", *selection]
        self.report = os.path.join(FOLDER, "report.json")
        done = subprocess.run([ROPE_CHECK, "run", "--report", self.report, "--", *command, *options], cwd=root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join([*path, self.testers, HERE + "/python_gpu"]),
                                   "PYTHONDONTWRITEBYTECODE": "1", **environment_of_it})
        return done.returncode, done.stdout

    def passes(self, root, path, *selection):
        _, text = self.pytest(root, path, *selection)
        self.assertRegex(text, r"\d+ passed", text[-3000:])
        self.assertEqual(re.findall(r"^FAILED \S*::(\S+)", text, re.MULTILINE), [], text[-6000:])
        with open(self.report) as file:
            report = json.load(file)
        self.assertEqual(report["findings"], [], text[-6000:])
        self.assertEqual(report["summary"]["not_run"], 0, report["not_run"])
        self.assertGreater(report["summary"]["cases"], 0)
        print(selection[0], "".join(re.findall(r"\d+ passed.*", text)[-1:]), report["summary"]["cases"], "launches")

    def test_liger_rope(self):
        self.passes(liger(), ["src", "."], "test/transformers/test_rope.py", "-k", "not 8192")

    def test_liger_swiglu(self):
        self.passes(liger(), ["src", "."], "test/transformers/test_swiglu.py")

    def fla(self):
        root = os.environ.get("ROPEWALK_FLASH_LINEAR_ATTENTION")
        if not root:
            self.skipTest("ROPEWALK_FLASH_LINEAR_ATTENTION is not set")
        return root, [fetched("triton", "install", "--no-deps", "triton==3.6.0", "--target"), "."]

    def test_fla_rotary(self):
        self.passes(*self.fla(), "tests/modules/test_rotary.py")

    def test_launches_take_a_twentieth_of_the_interpreters_time(self):
        root, path = self.fla()
        took = {}
        for interpreted in ("0", "1"):
            written = os.path.join(FOLDER, f"times-{interpreted}.json")
            self.pytest(root, path, "tests/modules/test_rotary.py", "-k", "test_rotary_partial and 256-2", "-p", "launch_times",
                        LAUNCH_TIMES=written, TRITON_INTERPRET=interpreted)
            with open(written) as file:
                took[interpreted] = json.load(file)["rotary_embedding_kernel"]
        (launches, ours), (same, interpreters) = took["0"], took["1"]
        self.assertEqual(launches, same)
        print(f"{launches} launches: {1000 * ours:.0f} ms, {interpreters / ours:.0f} times as fast as Triton's interpreter")
        self.assertGreater(interpreters, 20 * ours)


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    del sys.argv[1:5]
    unittest.main(verbosity=2)
