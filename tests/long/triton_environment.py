"""A virtual environment with Triton and the sources of flash-linear-attention, made once for a build directory.

Triton compiles for a GPU without having one. The wheel of flash-linear-attention is unpacked, not installed: its kernels
are wanted, not PyTorch.
"""
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import python_environment  # noqa: E402

SKIPPED = python_environment.SKIPPED
PACKAGES = ["triton==3.9.0", "numpy"]
SOURCES = "fla-core==0.6.0"


def run_inside(folder):
    """Goes on under the environment's Python, which is made in `folder` if it is not there. Where it cannot be had, the
    process ends with SKIPPED and the reason."""
    python_environment.run_inside(folder, PACKAGES, lambda: _unpack_sources(folder), SOURCES,
                                  TRITON_CACHE_DIR=os.path.join(folder, "cache"), TRITON_DEFAULT_FP_FUSION="1")


def source_folder(folder):
    """The root of the unpacked wheel."""
    return os.path.join(folder, "sources")


def _unpack_sources(folder):
    wheels = os.path.join(folder, "wheels")
    python_environment.pip(folder, "download", "--no-deps", "--only-binary", ":all:", "--dest", wheels, SOURCES)
    for name in os.listdir(wheels):
        with zipfile.ZipFile(os.path.join(wheels, name)) as wheel:
            wheel.extractall(source_folder(folder))
