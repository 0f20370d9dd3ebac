"""Puts the virtual GPU in place when torch, triton, numba.cuda or cupy have been imported, and not before: a program that uses none of
them pays nothing."""

import importlib.abc
import importlib.util
import sys


def _torch_is_here():
    from . import session
    current = session.current()
    options = current.options
    from . import cuda
    cuda.activate(options["target"], options["devices"], options.get("memory_bytes", 0), current.handle.visible_devices)


def _triton_is_here():
    from . import session
    options = session.current().options
    from . import triton_driver
    triton_driver.install(options["python_all_configurations"])


def _numba_is_here():
    from . import numba_linking
    numba_linking.install()


def _cupy_is_here():
    from . import cupy_kernels
    cupy_kernels.install()


_when = {}  # what to do, by the name of the module


class _Loader(importlib.abc.Loader):
    """A module's own loader, and then what is to be done."""

    def __init__(self, own, done):
        self.own, self.done = own, done

    def create_module(self, spec):
        return self.own.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.own
        self.own.exec_module(module)
        self.done()


class _Finder(importlib.abc.MetaPathFinder):

    def find_spec(self, name, path=None, target=None):
        done = _when.get(name)
        if done is None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader, done)
                return spec
        return None


def when(name, done):
    """Calls it when the module has been imported, now or later."""
    if name in sys.modules:
        done()
    _when[name] = done
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def watch():
    """From here on."""
    when("torch", _torch_is_here)
    when("triton", _triton_is_here)
    when("numba.cuda", _numba_is_here)
    when("cupy", _cupy_is_here)
