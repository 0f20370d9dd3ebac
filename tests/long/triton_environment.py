"""A virtual environment with Triton and the sources of flash-linear-attention, made once for a build directory.

Triton compiles for a GPU without having one. The wheel of flash-linear-attention is unpacked, not installed: its kernels
are wanted, not PyTorch.
"""
import fcntl
import os
import subprocess
import sys
import venv
import zipfile

SKIPPED = 77  # SKIP_RETURN_CODE of these tests
PACKAGES = ["triton==3.9.0", "numpy"]
SOURCES = "fla-core==0.6.0"


class Unavailable(Exception):
    """The registry does not give what is needed; the text is the reason."""


def run_inside(folder):
    """Goes on under the environment's Python, which is made in `folder` if it is not there. Where it cannot be had, the
    process ends with SKIPPED and the reason."""
    python = os.path.join(folder, "venv", "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(os.path.join(folder, "venv")):
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        try:
            _make(folder, python)
        except Unavailable as reason:
            print(f"skipped: {reason}")
            sys.exit(SKIPPED)
    sys.stdout.flush()
    environment = dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, "cache"), TRITON_DEFAULT_FP_FUSION="1")
    os.execve(python, [python, *sys.argv], environment)


def source_folder(folder):
    """The root of the unpacked wheel."""
    return os.path.join(folder, "sources")


def _make(folder, python):
    done = os.path.join(folder, "complete")
    wanted = "\n".join([*PACKAGES, SOURCES])
    if os.path.exists(done) and open(done).read() == wanted:
        return
    try:
        venv.create(os.path.join(folder, "venv"), with_pip=True, clear=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise Unavailable(f"no virtual environment can be made ({error}); Debian has it in python3-venv")
    _pip(python, "install", *PACKAGES)
    wheels = os.path.join(folder, "wheels")
    _pip(python, "download", "--no-deps", "--only-binary", ":all:", "--dest", wheels, SOURCES)
    for name in os.listdir(wheels):
        with zipfile.ZipFile(os.path.join(wheels, name)) as wheel:
            wheel.extractall(source_folder(folder))
    with open(done, "w") as file:
        file.write(wanted)


def _pip(python, command, *arguments):
    done = subprocess.run(
        [python, "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20",
         *arguments],
        capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise Unavailable(f"pip {command} {' '.join(arguments)}: {lines[-1]}")
