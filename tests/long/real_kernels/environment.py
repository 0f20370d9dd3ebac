"""PyTorch's environment, and beside it the sources of packages with Triton kernels. They are unpacked, not installed: nothing
of them is compiled, and what else they ask for is left out."""

import fcntl
import importlib
import importlib.util
import os
import sys
import tarfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import python_environment  # noqa: E402

WHEELS = ["fla-core==0.6.0", "liger-kernel==0.8.5", "unsloth==2026.10.9", "einops==0.8.2"]
ARCHIVES = ["flash-attn==2.8.3.post2", "mamba-ssm==2.3.2.post1", "vllm==0.33.0"]
# To be asked for its metadata, an archive's setup.py wants these beside PyTorch.
BUILDERS = [
    "wheel",
    "packaging",
    "setuptools",
    "ninja",
    "setuptools_scm",
    "setuptools_rust",
    "cmake",
    "jinja2",
    "grpcio-tools",
]
NO_BUILD = {"FLASH_ATTENTION_SKIP_CUDA_BUILD": "TRUE", "MAMBA_SKIP_CUDA_BUILD": "TRUE", "VLLM_TARGET_DEVICE": "empty"}
# pip compares the version in the metadata with the one in the archive's name.
NO_SUFFIX = {"VLLM_VERSION_OVERRIDE": "0.33.0"}
CASES = ["liger", "unsloth", "vllm", "flash_attn", "mamba_ssm", "fla", "locks"]

_sources = None


def run_inside(with_torch, folder):
    """Goes on under a Python that has PyTorch and Triton, with the sources in `folder`. Where they cannot be had, the process
    ends with python_environment.SKIPPED and the reason."""
    global _sources
    python_environment.run_inside(with_torch, python_environment.WITH_TORCH)
    if importlib.util.find_spec("triton") is None:
        python_environment.skip("PyTorch came without Triton")
    os.environ.update(TRITON_CACHE_DIR=os.path.join(folder, "cache"), TRITON_DEFAULT_FP_FUSION="1")
    _sources = os.path.join(folder, "sources")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _fetch(with_torch, folder)
    sys.path.append(os.path.join(_sources, "wheels"))


def root_of(package):
    """The folder in which the package lies."""
    for folder in sorted(os.listdir(_sources)):
        if os.path.isdir(os.path.join(_sources, folder, package)):
            return os.path.join(_sources, folder)
    raise LookupError(f"no {package} in {_sources}")


def import_cases():
    """Every module of cases registers its own."""
    for name in CASES:
        importlib.import_module(f"{__package__}.{name}")


def _fetch(with_torch, folder):
    done, wanted = os.path.join(folder, "complete"), "\n".join([*WHEELS, *ARCHIVES])
    if os.path.exists(done) and open(done).read() == wanted:
        return
    builders, downloads = os.path.join(folder, "builders"), os.path.join(folder, "downloads")
    python_environment.pip(with_torch, "install", "--target", builders, *BUILDERS)
    python_environment.pip(with_torch, "download", "--no-deps", "--only-binary", ":all:", "--dest", downloads, *WHEELS)
    for archive in ARCHIVES:
        python_environment.pip(
            with_torch,
            "download",
            "--no-deps",
            "--no-binary",
            ":all:",
            "--no-build-isolation",
            "--dest",
            downloads,
            archive,
            PYTHONPATH=builders,
            **NO_BUILD,
            **NO_SUFFIX,
        )
    for name in sorted(os.listdir(downloads)):
        path = os.path.join(downloads, name)
        if name.endswith(".whl"):
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(os.path.join(_sources, "wheels"))
        elif name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                archive.extractall(_sources, filter="data")
    with open(done, "w") as file:
        file.write(wanted)
