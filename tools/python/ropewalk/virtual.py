"""The virtual GPU for a part of a program."""

import contextlib

import torch

from . import cuda, session as sessions
from .cuda import devices, marks


@contextlib.contextmanager
def in_place(session):
    """Launches go to the session. `cuda` is real again, or what it was, at the end."""
    was_active, before = cuda.is_active(), devices.active
    cuda.activate(session.options["target"], session.options["devices"], session.options.get("memory_bytes", 0))
    triton = _triton(session)
    if triton and not was_active:
        triton.install(session.options["python_all_configurations"])
    sessions.push(session)
    try:
        yield
    finally:
        sessions.pop(session)
        for mark in marks.all_live():
            if mark.lent is session:
                mark.take_back()
        if was_active:
            devices.active = before
        else:
            if triton:
                triton.uninstall()
            cuda.deactivate()


def _triton(session):
    try:
        import triton  # noqa: F401  (first, because under rope-check run the driver is put in place behind its import)
        from . import triton_driver
    except ImportError:  # no Triton: there is nothing that would launch
        return None
    return triton_driver


@contextlib.contextmanager
def on_device(values):
    """Tensors of the CPU among these are on the current device until the end."""
    marked = []
    with torch._C.DisableTorchFunction():
        for value in values:
            if isinstance(value, torch.Tensor) and marks.mark_of(value) is None:
                marks.put(value, devices.active.all[devices.current()])
                marked.append(value)
    try:
        yield
    finally:
        with torch._C.DisableTorchFunction():
            for value in marked:
                value.untyped_storage().ropewalk_mark = None
