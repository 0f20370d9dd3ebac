"""Rotary kernels of numba.cuda, CuPy, cuda.core and cuda.bindings under `rope-check run`: right and clean, and without their mask
found at their line, with the line of the program that launched them.
Usage: python_libraries.py ROPE_CHECK FOLDER [unittest's options]"""

import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROPE_CHECK, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:3])
sys.path.insert(0, os.path.dirname(HERE))
import python_environment  # noqa: E402

python_environment.run_inside(FOLDER, ["numba-cuda", "cupy-cuda13x", "cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "numpy",
                                      "torch"])
PROGRAMS = os.path.join(HERE, "python_libraries")


def line_of(program, text):
    with open(os.path.join(PROGRAMS, program)) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


class Libraries(unittest.TestCase):

    def checked(self, program, variant):
        """The exit code, and the report."""
        path = os.path.join(FOLDER, "report.json")
        done = subprocess.run([ROPE_CHECK, "run", "--report", path, "--", sys.executable, os.path.join(PROGRAMS, program), variant],
                              cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertIn("as expected", done.stdout)
        with open(path) as file:
            return done.returncode, json.load(file)["findings"]

    def judge(self, program, launch, kernel_line=None):
        self.assertEqual(self.checked(program, "right"), (0, []))
        code, findings = self.checked(program, "wrong")
        self.assertEqual(code, 1)
        self.assertEqual({finding["rule"] for finding in findings}, {"out-of-bounds-read", "out-of-bounds-write"})
        for finding in findings:
            self.assertTrue(any(f"launched at forward ({os.path.join(PROGRAMS, program)}:{line_of(program, launch)})" in line
                                for line in finding["evidence"]), finding["evidence"])
        if kernel_line:
            self.assertIn(kernel_line, [finding["location"]["line"] for finding in findings])

    def test_numba(self):
        self.judge("rotary_numba.py", "rotate[BLOCKS", line_of("rotary_numba.py", "out[row, column] ="))

    def test_cupy(self):
        self.judge("rotary_cupy.py", "kernel((BLOCKS", line_of("rotary_kernel.py", "* c - b * s"))

    def test_cupy_with_torch(self):
        self.judge("rotary_torch.py", "kernel((BLOCKS", line_of("rotary_kernel.py", "* c - b * s"))

    def test_cuda_core(self):
        self.judge("rotary_core.py", "launch(stream")

    def test_cuda_bindings(self):
        self.judge("rotary_bindings.py", "driver.cuLaunchKernel")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
