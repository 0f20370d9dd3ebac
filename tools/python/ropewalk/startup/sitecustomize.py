"""Python runs this first in every process of `rope-check run`: the virtual GPU is put in place where torch and triton are
imported, and the sitecustomize that would have run instead is run."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_next():
    elsewhere = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _load_package():
    """Without its folder on the path: that may be one of packages for another Python."""
    package = os.path.dirname(_HERE)
    spec = importlib.util.spec_from_file_location("ropewalk", os.path.join(package, "__init__.py"),
                                                  submodule_search_locations=[package])
    sys.modules["ropewalk"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["ropewalk"])


if os.environ.get("ROPEWALK_RUN"):
    _load_package()
    from ropewalk import on_import
    on_import.watch()
    plugins = os.environ.get("PYTEST_PLUGINS", "").split(",")
    if "ropewalk.pytest_plugin" not in plugins:
        os.environ["PYTEST_PLUGINS"] = ",".join([*filter(None, plugins), "ropewalk.pytest_plugin"])
_run_the_next()
