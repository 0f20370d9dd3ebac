"""Operators that a program defines. Those for `cuda` are called with the CPU tensors that stand for device tensors, and so one
implementation for the CPU stands for both and chooses. PyTorch's own operators that a program overrides for `cuda` choose before
PyTorch's kernels do."""

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
        if self.ns == "aten":
            if key != "CUDA":  # those of the CPU stay what they are for it
                return implement(self, op_name, fn, dispatch_key, **options)
            return _override(functools.partial(implement, self), _qualified("aten", op_name), with_mode(fn), options)
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
        with mode.OwnWork():
            return function(*arguments, **options)


_KEY = torch._C.DispatchKey
_AFTER_CHOICE = torch._C._dispatch_keyset_full_after(_KEY.BackendSelect)
_FOR_MANY_KEYS = _KEY.CompositeExplicitAutogradNonFunctional, _KEY.CompositeExplicitAutograd, _KEY.CompositeImplicitAutograd


def _override(implement, name, function, options):
    """Of an operator of PyTorch, for devices. One that PyTorch makes of others has gradients by theirs: the choice comes before."""
    operator = _operator(name)
    if operator is None:
        return implement(name, function, "CUDA", **options)  # PyTorch keeps it, and has no use for it
    gets_keys = options.pop("with_keyset", False)
    is_made_of_others = _is_made_of_others(name)

    def choose(keys, *arguments, **named):
        key = (keys & _AFTER_CHOICE).highestPriorityTypeId()
        if key == _KEY.Undefined:  # no tensors are given
            key = _key_of_new(**named)
        device = mode.device_of_operator()
        if device is None or key != _KEY.CPU:
            own = _without_choice(operator, name, _KEY.CompositeImplicitAutograd if is_made_of_others else key)
            with torch._C.DisableTorchFunction():
                return own(*arguments, **named)
        if named.get("device") is not None:
            named["device"] = device
        mode.put_inside(*arguments, *named.values())
        with mode.OwnWork(), torch._C._EnableTorchFunction():
            return function(*([keys] if gets_keys else []), *arguments, **named)

    for key in ("AutogradCPU", "CPU") if is_made_of_others else ("BackendSelect",):
        implement(operator, choose, key, with_keyset=True, **options)


def _operator(name):
    """That of PyTorch, or None."""
    packet, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


def _without_choice(operator, name, key):
    """PyTorch's own kernel for the key, in the dispatcher's order. Unlike redispatch() it takes numbers for tensors."""
    for kernel in (key, *_FOR_MANY_KEYS):
        if _has_kernel(name, kernel):
            return functools.partial(operator._op_dk, kernel)
    return functools.partial(operator.redispatch, torch._C.DispatchKeySet(key))


@functools.cache
def _is_made_of_others(name):
    """As PyTorch has it, before a program overrides it."""
    return _has_kernel(name, _KEY.CompositeImplicitAutograd) and not _has_kernel(name, _KEY.CPU)


def _has_kernel(name, key):
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, key)


def _key_of_new(device=None, layout=None, **_):
    """The backend that makes a tensor."""
    kind = {None: "", torch.strided: "", torch.sparse_coo: "Sparse"}.get(layout, "SparseCsr")
    return getattr(_KEY, kind + torch._C._dispatch_key_for_device(torch.device(device or "cpu").type))


def _qualified(namespace, operator):
    """The operator's name with its overload, as ns::name or ns::name.overload."""
    name = operator if isinstance(operator, str) else operator.name()
    name = name if "::" in name else f"{namespace}::{name}"
    return name.removesuffix(".default")
