"""Modules of a package without what the package loads on the way: its compiled code, its models, its other packages."""

import importlib.abc
import importlib.machinery
import os
import sys
import types
from unittest import mock


def bare_packages(root, *names):
    """Packages whose __init__.py is not executed; their modules are found where they lie under `root`."""
    for name in names:
        package = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split("."))]
        _put(name, package)


def stand_ins(modules):
    """Modules {"vllm.logger": {...}} that have nothing but these attributes, and whatever is imported below them; another
    attribute is an object that takes any call. A kernel that needed one of these would fail or give wrong values."""
    for name, attributes in modules.items():
        _put(name, _stand_in(name, attributes))
    sys.meta_path.insert(0, _Below(tuple(name + "." for name in modules)))


def _stand_in(name, attributes):
    module = mock.MagicMock(name=name, __path__=[], __spec__=importlib.machinery.ModuleSpec(name, None, is_package=True))
    for key, value in attributes.items():
        setattr(module, key, value)
    return module


def _put(name, module):
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, module)


class _Below(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for every module with one of the prefixes."""

    def __init__(self, prefixes):
        self.prefixes = prefixes

    def find_spec(self, name, _path=None, _target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(self.prefixes) else None

    def create_module(self, spec):
        return _stand_in(spec.name, {})

    def exec_module(self, module):
        pass
