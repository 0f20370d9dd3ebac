"""Virtual environments with packages of the registry, each made once for a build directory."""
import fcntl
import os
import subprocess
import sys
import venv

SKIPPED = 77  # SKIP_RETURN_CODE of the tests that need one
WITH_TORCH = ["transformers", "torch", "numpy", "safetensors"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def python_of(folder):
    return os.path.join(folder, "venv", "bin", "python")


def create(folder):
    """An empty environment; skips where it cannot be had."""
    try:
        venv.create(os.path.join(folder, "venv"), with_pip=True, clear=True)
    except (subprocess.CalledProcessError, OSError) as error:
        skip(f"no virtual environment can be made ({error}); Debian has it in python3-venv")


def pip(folder, command, *arguments, **environment):
    """Runs the environment's pip; skips with its last words where it fails."""
    done = subprocess.run(
        [python_of(folder), "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout",
         "20", *arguments],
        capture_output=True, text=True, env=dict(os.environ, **environment))
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        skip(f"pip {command} {' '.join(arguments)}: {lines[-1]}")


def run_inside(folder, packages, finish=None, finishes="", **environment):
    """Goes on under a Python that has the packages, with these variables; it is made in `folder` if it is not there.
    finish() adds what `finishes` names. Where it cannot be had, the process ends with SKIPPED and the reason."""
    if os.path.realpath(sys.prefix) == os.path.realpath(os.path.join(folder, "venv")):
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        _make(folder, packages, finish, finishes)
    sys.stdout.flush()
    os.execve(python_of(folder), [python_of(folder), *sys.argv], dict(os.environ, **environment))


def _make(folder, packages, finish, finishes):
    done = os.path.join(folder, "complete")
    wanted = "\n".join([*packages, finishes])
    if os.path.exists(done) and open(done).read() == wanted:
        return
    create(folder)
    pip(folder, "install", *packages)
    if finish:
        finish()
    with open(done, "w") as file:
        file.write(wanted)
