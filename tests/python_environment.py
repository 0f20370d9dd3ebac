"""A virtual environment with packages of the registry, made once for a build directory."""
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


def run_inside(folder, packages):
    """Goes on under a Python that has the packages; it is made in `folder` once. Where the packages cannot be had, the
    process ends with SKIPPED and the reason."""
    home = os.path.join(folder, "venv")
    python = os.path.join(home, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(home):
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        complete = os.path.join(folder, "complete")
        if not os.path.exists(complete):
            try:
                venv.create(home, with_pip=True, clear=True)
                subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, capture_output=True,
                               text=True)
            except subprocess.CalledProcessError as error:
                lines = (error.stderr or "").strip().splitlines() or ["no reason given"]
                skip(f"pip install {' '.join(packages)}: {lines[-1]}")
            except OSError as error:
                skip(f"no virtual environment can be made ({error})")
            open(complete, "w").close()
    sys.stdout.flush()
    os.execve(python, [python, *sys.argv], dict(os.environ))
