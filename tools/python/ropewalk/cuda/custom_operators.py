"""Operators that a program defines. Those for `cuda` are called with the CPU tensors that stand for device tensors, and so one
implementation for the CPU stands for both and chooses."""

import functools

import torch

from . import mode

_OF_ANY_DEVICE = ("CompositeExplicitAutograd", "CompositeImplicitAutograd")


def install(patches, with_mode):
    """Until the patches are restored. with_mode: a decorator of functions, see activation.py."""
    library = torch.library.Library
    implement, destroy = library.impl, library._destroy
    chosen = {}  # by operator

    @functools.wraps(implement)
    def impl(self, op_name, fn, dispatch_key="", **options):
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        if key not in ("CUDA", "CPU", *_OF_ANY_DEVICE) or not callable(fn) or fn is torch.library.fallthrough_kernel:
            return implement(self, op_name, fn, dispatch_key, **options)
        if self.ns == "aten":  # those of the CPU stay what they are for it
            return implement(self, op_name, with_mode(fn) if key == "CUDA" else fn, "CPU" if key == "CUDA" else key, **options)
        name = _qualified(self.ns, op_name)
        by_device = chosen.setdefault(name, _ByDevice(name))
        if key in _OF_ANY_DEVICE:
            by_device.add(self, None, with_mode(fn))
            return implement(self, op_name, with_mode(fn), dispatch_key, **options)
        if by_device.add(self, key, with_mode(fn)):
            implement(self, op_name, by_device, "CPU", **options)

    @functools.wraps(destroy)
    def destroy_and_forget(self):
        destroy(self)
        for by_device in chosen.values():
            by_device.forget(self)

    patches.set(library, "impl", impl)
    patches.set(library, "_destroy", destroy_and_forget)


class _ByDevice:
    """The implementation that the dispatcher knows. Its key None stands for all devices that have none of their own."""

    def __init__(self, name):
        self.name, self._functions = name, {}  # by key: (id of the library, function)

    def add(self, library, key, function):
        """Whether it is the first of this library for one device."""
        known = {of for name, (of, _) in self._functions.items() if name is not None}
        self._functions[key] = id(library), function
        return id(library) not in known

    def forget(self, library):
        self._functions = {key: one for key, one in self._functions.items() if one[0] != id(library)}

    def __call__(self, *arguments, **options):
        key = "CPU" if mode.device_under_way() is None else "CUDA"
        _, function = self._functions.get(key) or self._functions.get(None) or (None, None)
        if function is None:
            raise NotImplementedError(f"Could not run '{self.name}' with arguments from the '{key}' backend. "
                                      f"It is implemented for: {', '.join(self._functions)}")
        return function(*arguments, **options)


def _qualified(namespace, operator):
    """The operator's name with its overload, as ns::name or ns::name.overload."""
    name = operator if isinstance(operator, str) else operator.name()
    name = name if "::" in name else f"{namespace}::{name}"
    return name.removesuffix(".default")
