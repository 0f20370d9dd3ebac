"""What torch makes of a program's Python: functions that are compiled, scripted or traced, exported programs."""

import contextlib
import functools
import sys
import types

import torch
import torch._functorch.eager_transforms
import torch.overrides
import torch.utils._device
from torch.overrides import TorchFunctionMode

from . import devices, marks, mode

_SCRIPTED = (torch.jit.ScriptModule, torch.jit.ScriptFunction)
_DEVICE_FILE = "ropewalk_device"  # an extra file of a saved module


def install(patches, keeping_device, when_imported):
    """Until the patches are restored. keeping_device: a decorator of functions, see activation.py; when_imported(module,
    install): calls install(patches) once that module is there."""
    _run_as_written(patches)
    _trace(patches, keeping_device)
    _export(patches)
    when_imported("torch.fx.experimental.proxy_tensor", _make_graphs)


def _run_as_written(patches):
    """What would be compiled runs as it is written."""

    def same(model=None, **_):
        return (lambda function: function) if model is None else model

    patches.set(torch, "compile", same)
    script, save = torch.jit.script, torch.jit.save

    def save_there(module, file, _extra_files=None):
        """A module is scripted when it is saved. The file says on which device it was."""
        with torch._C.DisableTorchFunction():
            device = marks.device_among([*module.parameters(), *module.buffers()]) if isinstance(module, torch.nn.Module) else None
        with _all_on_cpu():
            made = module if isinstance(module, _SCRIPTED) else script(module)
            save(made, file, _extra_files={**(_extra_files or {}), **({_DEVICE_FILE: str(device)} if device else {})})

    def as_written(obj, *rest, **options):
        if getattr(obj, "__module__", "").startswith("torch."):
            return script(obj, *rest, **options)
        if isinstance(obj, torch.nn.Module) and not hasattr(obj, "save"):
            obj.save = types.MethodType(save_there, obj)
        return obj

    patches.set(torch.jit, "script", as_written)
    patches.set(torch.jit, "save", save_there)
    patches.set(torch.nn.Module, "compile", lambda self, *_, **__: None)
    # Nor is anything kept out of a graph of dynamo's.
    patches.set_known(torch._functorch.eager_transforms, "lazy_dynamo_disallow", lambda function: function)


def _trace(patches, keeping_device):
    """Traced functions call operators that pass through no mode."""
    for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
        patches.set(kind, "__call__", keeping_device(kind.__call__))
    load = torch.jit.load

    @functools.wraps(load)
    def load_there(f, map_location=None, _extra_files=None, *rest, **options):
        device = None if map_location is None else devices.virtual(map_location)
        files = {} if _extra_files is None else _extra_files
        files[_DEVICE_FILE] = ""
        loaded = load(f, map_location if device is None else "cpu", files, *rest, **options)
        saved_on = files.pop(_DEVICE_FILE)
        if map_location is None and saved_on:
            device = devices.virtual(saved_on.decode() if isinstance(saved_on, bytes) else saved_on)
        if device is not None:
            with torch._C.DisableTorchFunction():
                marks.put_all([*loaded.parameters(), *loaded.buffers()], device)
        return loaded

    patches.set(torch.jit, "load", load_there)


class _AllOnCpu(TorchFunctionMode):
    """Every device is the CPU: what is asked for on a virtual one is made there."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = dict(options or {})
        if function is torch.Tensor.cuda:
            return arguments[0]
        if _is_virtual(options.get("device")):
            options["device"] = "cpu"
        if function is torch.Tensor.to and len(arguments) > 1 and _is_virtual(arguments[1]):
            arguments = (arguments[0], "cpu", *arguments[2:])
        return function(*arguments, **options)


def _is_virtual(device):
    if isinstance(device, bool) or not isinstance(device, (torch.device, str, int)):
        return False
    return devices.virtual(device) is not None


@contextlib.contextmanager
def _all_on_cpu():
    """In place of the mode: tensors are where they lie."""
    taken = [torch.overrides._pop_mode() for _ in range(torch.overrides._len_torch_function_stack())]
    try:
        with contextlib.ExitStack() as others:
            for one in reversed(taken):
                if not isinstance(one, (mode.OnDevice, torch.utils._device.DeviceContext)):
                    others.enter_context(one)
            others.enter_context(_AllOnCpu())
            yield
    finally:
        for one in reversed(taken):
            torch.overrides._push_mode(one)


def _export(patches):
    """A program is exported as one of the CPU, and then it is on the device of its tensors."""
    export = torch.export.export

    @functools.wraps(export)
    def export_there(mod, args, kwargs=None, **options):
        with torch._C.DisableTorchFunction():
            device = marks.device_among(args, kwargs, [*mod.parameters(), *mod.buffers()])
        if device is None:
            return export(mod, args, kwargs, **options)
        with _all_on_cpu():
            program = export(mod, args, kwargs, **options)
            marks.put_all([one for one in program.constants.values() if isinstance(one, torch.Tensor)], device)
            for module in program.graph_module.modules():
                if isinstance(module, torch.fx.GraphModule):
                    _put_graph(module, device)
        return program

    patches.set(torch.export, "export", export_there)


def _make_graphs(patches):
    """The same of make_fx."""
    module = sys.modules["torch.fx.experimental.proxy_tensor"]
    make = module.make_fx

    @functools.wraps(make)
    def make_fx(*settings, **options):
        traced = make(*settings, **options)

        @functools.wraps(traced)
        def traced_there(*arguments):
            with torch._C.DisableTorchFunction():
                device = marks.device_among(arguments)
            if device is None:
                return traced(*arguments)
            with _all_on_cpu():
                graph = traced(*arguments)
                _put_graph(graph, device)
            return graph

        return traced_there

    patches.set(module, "make_fx", make_fx)


def _put_graph(module, device):
    """What it makes on the CPU is made on the device."""
    cpu = torch.device("cpu")
    for node in module.graph.nodes:
        if node.kwargs.get("device") == cpu:
            node.kwargs = {**node.kwargs, "device": device}
        node.args = tuple(device if one == cpu else one for one in node.args)
    module.recompile()
