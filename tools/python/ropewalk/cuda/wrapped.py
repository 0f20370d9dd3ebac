"""Tensors that wrap others: nested ones, and kinds of PyTorch's own (DTensor) or of the program. They are where the first of those is
(marks.py), and are made and worked on by functions that pass through no mode."""

import contextlib
import functools
import sys

import torch
import torch.nested._internal.nested_tensor

from . import devices, marks, mode


def install(patches, when_imported):
    """As in compiled.py."""
    make = torch._C._nested.nested_tensor

    @functools.wraps(make)
    def make_there(*arguments, device=None, **options):
        with torch._C.DisableTorchFunction():
            on = marks.device_among(arguments[:1]) if device is None else devices.virtual(device)
            if on is None:
                return make(*arguments, device=device, **options)
            made = make(*arguments, device="cpu", **options)
            marks.put(made, on)
        return made

    patches.set(torch._C._nested, "nested_tensor", make_there)
    jagged = torch.nested._internal.nested_tensor.NestedTensor
    patches.set(jagged, "__new__", _beside_offsets(jagged.__new__))
    for name in ("_make_wrapper_subclass", "_make_dtensor"):
        patches.set_known(torch.Tensor, name, _on_cpu(getattr(torch.Tensor, name, None)))
    when_imported("torch.distributed.tensor._random", _draw_apart)


def _beside_offsets(make):
    """Values that the backward pass made have passed through no mode."""

    @functools.wraps(make)
    def make_there(cls, values, offsets, **options):
        device = mode.device_of_backward()
        if device is not None:
            with torch._C.DisableTorchFunction():
                marks.put(values, device)
        return make(cls, values, offsets, **options)

    return staticmethod(make_there)


def _on_cpu(make):
    """PyTorch must not take the tensor for one of a GPU of its own. One that does not say what it wraps is where it was made."""

    @functools.wraps(make or _on_cpu)
    def make_there(*arguments, **options):
        named = [one for one in (*arguments, options.get("device")) if isinstance(one, torch.device)]
        on = next((device for device in map(devices.virtual, named) if device), None)
        if on is None:
            return make(*arguments, **options)
        cpu = torch.device("cpu")
        options = {name: cpu if isinstance(value, torch.device) else value for name, value in options.items()}
        made = make(*(cpu if isinstance(one, torch.device) else one for one in arguments), **options)
        with torch._C.DisableTorchFunction():
            made.untyped_storage().ropewalk_mark = marks.Mark(on, None)
        return made

    return staticmethod(make_there)


def _draw_apart(patches):
    """Ranks draw the numbers of a DTensor each by itself. PyTorch shares out those of one state of a CUDA generator, which the
    CPU's has not."""
    tracker = sys.modules["torch.distributed.tensor._random"].OffsetBasedRNGTracker

    def begin(self, device_mesh, run_state_sync=True):
        self._device, self._device_handle, self._use_distribute_region = torch.device("cuda"), torch.cuda, False

    patches.set(tracker, "__init__", begin)
    patches.set(tracker, "_distribute_region", lambda self, *_, **__: contextlib.nullcontext())
    patches.set(tracker, "_manual_seed", lambda self, seed: torch.manual_seed(seed))
