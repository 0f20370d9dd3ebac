"""Puts the virtual devices in torch's place of the real ones, and takes them away again."""

import functools
import sys
import threading
import warnings

import torch
import torch.utils._device
import torch.utils._pytree
import torch.utils.dlpack

from . import (answers, autocast, collectives, compiled, custom_operators, devices, exchange, generators, gpu_operators, graphs, marks,
               mode, profiling, runtime_kernels, storages, streams, waiting, wrapped)
from . import gpu_attention, gpu_layers, gpu_products, gradients, items, tensors  # noqa: F401  (they register their functions)
from .. import on_import
from ..patches import Patches

_patches = Patches()
_mode = mode.OnDevice()
_active = False


def is_active():
    return _active


def activate(target="sm_80", count=1, memory=0, look=None):
    """From here on `cuda` names `count` virtual devices of this target, in all threads that begin after this. look: see Devices."""
    global _active
    devices.active = devices.Devices(target, count, memory, look)
    if _active:
        return
    _active = True
    _let_torch_look()
    _answer()
    _follow_threads()
    _follow_gradients()
    _follow_default_device()
    autocast.install(_patches)
    gpu_operators.install(_patches)
    compiled.install(_patches, _keeping_device, _when_imported)
    custom_operators.install(_patches, _with_mode)
    storages.install(_patches, is_active)
    wrapped.install(_patches, _when_imported)
    collectives.install(_patches)
    graphs.install(_patches)
    waiting.install(_patches)
    profiling.install(_patches)
    runtime_kernels.install(_patches)
    _mode.__enter__()


def _when_imported(module, install):
    on_import.when(module, lambda: install(_patches) if _active else None)


def deactivate():
    """Everything is as it was. Tensors that say `cuda` say so no more."""
    global _active
    if _active:
        _mode.__exit__(None, None, None)
        _patches.restore()
        _active = False


def _let_torch_look():
    """torch counts the devices of its own CUDA runtime once, and warns that it finds none that it can use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(torch._C, "_cuda_getDeviceCount", int)()


def _answer():
    cuda = torch.cuda
    # Memory is not used again while work is queued: nothing is ever queued. torch itself takes streams of its own alone.
    _patches.set(torch.Tensor, "record_stream", lambda tensor, stream: None)
    take = exchange.taking(torch.from_dlpack)
    for module in (torch, torch.utils.dlpack):
        _patches.set(module, "from_dlpack", take)
    for name, value in {**answers.ANSWERS, **streams.REPLACED}.items():
        for module in (cuda, cuda.memory, cuda.random, cuda.streams):
            _patches.set_known(module, name, value)
    for name, value in streams.OF_TORCH.items():
        _patches.set_known(torch, name, value)
    for name, value in answers.RAW.items():
        _patches.set(torch._C, name, value)
    for name, value in answers.OF_INDUCTOR.items():
        _patches.set_known(torch._C._dynamo.guards, name, value)
    for name, value in answers.NVTX.items():
        _patches.set_known(cuda.nvtx, name, value)
    runtime = getattr(torch._C, "_cudart", None)
    for name in answers.OF_RUNTIME if runtime is not None else ():
        _patches.set_known(runtime, name, lambda *_: runtime.cudaError.success)
    _patches.set(cuda, "default_generators", tuple(generators.OfDevice(one) for one in devices.active.all))
    _patches.set(torch, "Generator", generators.Generator)
    _patches.set(torch.backends.cudnn, "is_acceptable", lambda tensor: False)
    if torch.version.cuda is None:
        _patches.set(torch.version, "cuda", "13.0")
    _patches.set(torch.overrides, "has_torch_function", _has_torch_function)
    if hasattr(torch, "accelerator"):
        for name, value in answers.ACCELERATOR.items():
            _patches.set_known(torch.accelerator, name, value)


# Modules that compute in another way where a mode is active.
_WITH_FAST_PATHS = ("torch.nn.modules.activation", "torch.nn.modules.transformer")


def _has_torch_function(values):
    if sys._getframe(1).f_globals.get("__name__") in _WITH_FAST_PATHS:
        return any(type(one) not in (torch.Tensor, torch.nn.Parameter) for one in values if one is not None)
    return torch._C._has_torch_function(values)


def _follow_threads():
    """A mode is of one thread; all that begin have it."""
    _patches.set(threading.Thread, "_bootstrap_inner", _with_mode(threading.Thread._bootstrap_inner))


def _follow_gradients():
    """Functions of Python, run backward, get gradients that are where the loss is, and the mode is on in them."""
    from torch.autograd.function import BackwardCFunction
    run, apply = torch.autograd._engine_run_backward, BackwardCFunction.apply

    @functools.wraps(run)
    def run_with_mode(tensors, *arguments, **options):
        with torch._C.DisableTorchFunction():
            before = mode.set_device_of_backward(marks.device_among(tensors, arguments))
        try:
            with _mode:
                return run(tensors, *arguments, **options)
        finally:
            mode.set_device_of_backward(before)

    backward = torch.autograd.backward

    @functools.wraps(backward)
    def backward_of_there(tensors, grad_tensors=None, *arguments, **options):
        with torch._C.DisableTorchFunction():
            gradients.expect_there(tensors, grad_tensors)
        return backward(tensors, grad_tensors, *arguments, **options)

    def apply_on_device(context, *gradients):
        device = mode.device_of_backward()
        if device is not None:
            with torch._C.DisableTorchFunction():
                marks.put_all(gradients, device)
        return apply(context, *gradients)

    _patches.set(torch.autograd, "_engine_run_backward", run_with_mode)
    _patches.set(torch.autograd, "backward", backward_of_there)
    _patches.set(BackwardCFunction, "apply", apply_on_device)
    push = torch._C._autograd._push_saved_tensors_default_hooks

    def push_on_device(pack, unpack):
        pack_with_mode = _with_mode(pack)

        def pack_on_device(tensor):
            mode.put_inside(tensor)
            return pack_with_mode(tensor)

        push(pack_on_device, _with_mode(unpack))

    _patches.set(torch._C._autograd, "_push_saved_tensors_default_hooks", push_on_device)
    for module, names in ((torch, ["vmap"]), (torch.func, ["vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian"])):
        for name in names:
            _patches.set(module, name, _making(getattr(module, name)))
    for name in ("vjp", "jvp", "linearize"):
        _patches.set_known(torch.func, name, _keeping_device(getattr(torch.func, name, None)))


def _with_mode(function):
    """Torch calls it where no mode is active."""

    @functools.wraps(function)
    def inside(*arguments, **options):
        if not _active:
            return function(*arguments, **options)
        with _mode:
            return function(*arguments, **options)

    return inside


def _making(transform):
    return functools.wraps(transform)(lambda *settings, **options: _keeping_device(transform(*settings, **options)))


def _keeping_device(function):
    """Functions of torch.func, and those that they make, hand out tensors that no mode has seen."""

    @functools.wraps(function)
    def applied(*arguments, **options):
        result = function(*arguments, **options)
        with torch._C.DisableTorchFunction():
            device = marks.device_among(arguments, options)
            if device is None:
                return result
            marks.put_all(torch.utils._pytree.tree_leaves(result), device)
        return torch.utils._pytree.tree_map(lambda one: _keeping_device(one) if callable(one) else one, result)

    return applied


def _follow_default_device():
    """torch.set_default_device and `with torch.device(...)` are a mode below ours."""
    context = torch.utils._device.DeviceContext
    plain = context.__torch_function__

    def on_default(self, function, kinds, arguments=(), options=None):
        if self.device.type != "cuda":
            return plain(self, function, kinds, arguments, options)
        options = dict(options or {})
        if function not in torch.utils._device._device_constructors() or options.get("device") is not None:
            return function(*arguments, **options)
        return mode.SPECIAL.get(function, mode.ordinary)(function, arguments, {**options, "device": self.device})

    _patches.set(context, "__torch_function__", on_default)
