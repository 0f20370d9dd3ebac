"""Nested tensors. Those of the strided layout are made by a function that passes through no mode."""

import functools

import torch

from . import devices, marks


def install(patches):
    make = torch._C._nested.nested_tensor

    @functools.wraps(make)
    def make_there(*arguments, device=None, **options):
        on = None if device is None else devices.virtual(device)
        if on is None:
            return make(*arguments, device=device, **options)
        with torch._C.DisableTorchFunction():
            made = make(*arguments, device="cpu", **options)
            marks.put(made, on)
        return made

    patches.set(torch._C._nested, "nested_tensor", make_there)
