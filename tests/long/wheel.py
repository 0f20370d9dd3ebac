"""The wheel: built from a checkout, installed in clean virtual environments, used there with nothing of the checkout or of a build
tree, and uninstalled. A second environment has PyTorch and Triton, by pip alone, and finds what the README says.
Usage: wheel.py SOURCE FOLDER [unittest's options]"""

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import python_environment  # noqa: E402

SOURCE, FOLDER = (os.path.abspath(argument) for argument in sys.argv[1:3])
BUILDER = os.path.join(FOLDER, "builder")
CLEAN = os.path.join(FOLDER, "clean")  # has nothing but pip and the wheel
WITH_TORCH = os.path.join(FOLDER, "torch")
LAUNCHES = os.path.join(SOURCE, "tests", "tools", "launches")
PROGRAM = os.path.join(HERE, "wheel", "launch.py")
# What every Debian and Ubuntu has: the C library, and zlib, which dpkg needs.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libz.so.1"}
OWN = {"libropewalk.so", "libcuda.so.1"}


def run(*command, cwd=FOLDER, **environment):
    """Exit code and all that was printed, without anything of the caller's environment."""
    own = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**own, **environment})
    return done.returncode, done.stdout


def program_of(environment, name):
    return os.path.join(environment, "venv", "bin", name)


def built_wheel():
    """The wheel, built as `pip wheel` builds it. What builds it comes from the registry; the build itself must succeed."""
    if not os.path.exists(python_environment.python_of(BUILDER)):
        python_environment.create(BUILDER)
    python_environment.pip(BUILDER, "install", "scikit-build-core")
    into = os.path.join(FOLDER, "dist")
    shutil.rmtree(into, ignore_errors=True)
    subprocess.run([python_environment.python_of(BUILDER), "-m", "pip", "wheel", SOURCE, "--quiet", "--no-deps", "--no-build-isolation",
                    "--wheel-dir", into, "-C", "build-dir=" + os.path.join(FOLDER, "build")], check=True)
    return glob.glob(os.path.join(into, "*.whl"))


def install(environment, wheel):
    subprocess.run([python_environment.python_of(environment), "-m", "pip", "install", "--quiet", "--no-index", "--no-compile",
                    "--force-reinstall", wheel], check=True)


def is_binary(path):
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def files_of(environment):
    return {os.path.relpath(os.path.join(folder, name), environment)
            for folder, _, names in os.walk(os.path.join(environment, "venv")) for name in (*names, ".") if
            not folder.endswith("__pycache__")}


class WheelTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.wheels = built_wheel()
        cls.wheel = cls.wheels[0]
        python_environment.create(CLEAN)
        cls.before = files_of(CLEAN)
        install(CLEAN, cls.wheel)

    def test_it_is_for_any_python_on_this_kind_of_machine(self):
        self.assertEqual(len(self.wheels), 1)
        self.assertRegex(os.path.basename(self.wheel), r"^ropewalk-[0-9.]+-py3-none-linux_\w+\.whl$")

    def test_it_needs_nothing_but_the_c_library_and_zlib(self):
        unpacked = os.path.join(FOLDER, "unpacked")
        shutil.rmtree(unpacked, ignore_errors=True)
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(unpacked)
        binaries = list(filter(is_binary, glob.glob(os.path.join(unpacked, "**"), recursive=True)))
        self.assertEqual({os.path.basename(path) for path in binaries},
                         {"rope-check", "attn-fuzz", "libropewalk.so", "libropewalk_trace.so", "libcuda.so.1", "libcudart.so.12",
                          "libcudart.so.13", "libropewalk_static_runtime.so"})
        for path in binaries:
            _, dynamic = run("readelf", "--dynamic", "--wide", path)
            self.assertLessEqual(set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)), OF_THE_SYSTEM | OWN, path)
            for folder in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic):
                self.assertRegex(folder, r"^\$ORIGIN[^:]*(:\$ORIGIN[^:]*)*$", path)

    def test_programs_run(self):
        for name in ("rope-check", "attn-fuzz"):
            code, text = run(program_of(CLEAN, name), "-V")
            self.assertEqual((code, text.split()[0]), (0, name), text)
        code, text = run(program_of(CLEAN, "rope-check"), "launch", os.path.join(LAUNCHES, "gather_past_the_end.json"))
        self.assertEqual(code, 1, text)
        code, text = run(program_of(CLEAN, "rope-check"), "trace", "--", "true")
        self.assertNotIn("libropewalk_trace.so", text)

    def launched(self, which, *before):
        return run(program_of(CLEAN, "rope-check"), "run", "--", *before, program_of(CLEAN, "python"), PROGRAM,
                   os.path.join(LAUNCHES, "kernels.ptx"), which)

    def test_a_program_on_the_virtual_gpu(self):
        code, text = self.launched("right")
        self.assertEqual(code, 0, text)
        self.assertIn("1 case checked, nothing found", text)
        code, text = self.launched("wrong")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"error\[out-of-bounds-read\]: .*\n.*kernels\.cu:\d+:\d+  in gather_rows_unguarded")

    def test_the_package_finds_its_library_and_its_program(self):
        asked = "import ropewalk, ropewalk.library as it; print(it.path(), it.load().ropewalk_interface());"
        asked += f"print(ropewalk.check({os.path.join(LAUNCHES, 'gather_past_the_end.json')!r}).findings[0].rule)"
        code, text = run(program_of(CLEAN, "python"), "-c", asked)
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"/site-packages/ropewalk/lib/libropewalk\.so 1\nout-of-bounds-read\n")

    def test_another_python_sees_nothing_of_the_environment(self):
        asked = "import sys, ropewalk; print(ropewalk.__file__); import pip; print(pip.__file__)"
        code, text = run(program_of(CLEAN, "rope-check"), "run", "--", program_of(BUILDER, "python"), "-c", asked)
        package, pip = text.splitlines()[:2]
        self.assertTrue(package.startswith(CLEAN) and pip.startswith(BUILDER), text)

    def test_a_folder_of_its_own(self):
        folder = os.path.join(FOLDER, "target")
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([program_of(CLEAN, "python"), "-m", "pip", "install", "--quiet", "--no-index", "--target", folder, self.wheel],
                       check=True)
        code, text = run(os.path.join(folder, "bin", "rope-check"), "run", "--", sys.executable, PROGRAM,
                         os.path.join(LAUNCHES, "kernels.ptx"), "wrong")
        self.assertEqual(code, 1, text)

    def test_uninstalled_it_leaves_nothing(self):
        environment = os.path.join(FOLDER, "left")
        python_environment.create(environment)
        before = files_of(environment)
        install(environment, self.wheel)
        self.assertGreater(len(files_of(environment)), len(before) + 20)
        subprocess.run([program_of(environment, "python"), "-m", "pip", "uninstall", "--quiet", "--yes", "ropewalk"], check=True)
        self.assertEqual(files_of(environment), before)


class ReadmeTest(unittest.TestCase):
    """PyTorch is 3 GB: its environment is made once for a build folder, and each run installs the wheel in it."""

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(os.path.join(WITH_TORCH, "complete")):
            python_environment.create(WITH_TORCH)
            python_environment.pip(WITH_TORCH, "install", "torch", "pytest")
            open(os.path.join(WITH_TORCH, "complete"), "w").close()
        install(WITH_TORCH, WheelTest.wheel if hasattr(WheelTest, "wheel") else built_wheel()[0])
        with open(os.path.join(SOURCE, "README.md")) as file:
            cls.source, cls.shown = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", file.read(), re.DOTALL).groups()

    def write(self, name, text):
        with open(os.path.join(FOLDER, name), "w") as file:
            file.write(text)

    def checked(self, *command):
        binaries = os.path.dirname(program_of(WITH_TORCH, "python"))
        return run(program_of(WITH_TORCH, "rope-check"), "run", "--", *command, PATH=f"{binaries}:/usr/bin:/bin")

    def test_it_finds_what_the_readme_says_with_the_stack(self):
        self.write("scale.py", self.source)
        code, text = self.checked("python", "scale.py")
        self.assertEqual(code, 1, text)
        self.assertIn(self.shown, re.sub(r"\S*scale\.py", "scale.py", text))
        call = 1 + next(number for number, line in enumerate(self.source.splitlines()) if line.startswith("assert "))
        launch = 1 + next(number for number, line in enumerate(self.source.splitlines()) if "launch(x" in line)
        self.assertRegex(text, rf"launched at scaled \(\S*scale\.py:{launch}\)\n *\w* *called by <module> \(\S*scale\.py:{call}\)")

    def test_the_right_mask_is_clean(self):
        self.write("right.py", self.source.replace("at <= n", "at < n"))
        code, text = self.checked("python", "right.py")
        self.assertEqual(code, 0, text)
        self.assertIn("1 case checked, nothing found", text)

    def test_pytest_knows_the_plugin(self):
        self.write("scale_test.py", self.source.replace("\nassert ", "\ndef test_it():\n    assert "))
        binaries = os.path.dirname(program_of(WITH_TORCH, "python"))
        for command in (["pytest", "--ropewalk"], [program_of(WITH_TORCH, "rope-check"), "run", "--", "pytest"]):
            code, text = run(*command, "-p", "no:cacheprovider", "scale_test.py", PATH=f"{binaries}:/usr/bin:/bin")
            self.assertEqual(code, 1, text)
            self.assertIn("1 failed", text)
            self.assertIn("reads 4 bytes at x[1000]", text)


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    del sys.argv[1:3]
    unittest.main(verbosity=2)
