"""Elements that are chosen with brackets or by indices: where they, the indices and the values may be."""

import torch

from . import marks, written
from .mode import on_two_devices, ordinary, special


def _device_of(tensor):
    mark = marks.mark_of(tensor)
    return mark.device if mark else tensor.device


def _chosen_by(where):
    """The tensors and lists among what is in the brackets: they choose elements one by one. A tensor without dimensions is a
    number."""
    parts = where if isinstance(where, tuple) else (where,)
    return [one for one in parts if isinstance(one, list) or (isinstance(one, torch.Tensor) and one.dim() > 0)]


def _expect_reachable(tensor, indices):
    """Indices may be on the CPU, or where the tensor is."""
    here = _device_of(tensor)
    for index in indices:
        if isinstance(index, torch.Tensor) and index.dim() > 0:
            mark = marks.mark_of(index)
            if mark is not None and mark.device != here:
                raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({here})")


def _expect_together(tensor, value, function):
    """Values are where the tensor is; one of the CPU without dimensions goes with any."""
    if isinstance(value, torch.Tensor):
        here, there = _device_of(tensor), _device_of(value)
        if here != there and (value.dim() > 0 or there.type != "cpu"):
            raise on_two_devices(here, there, function)


@special(torch.Tensor.__getitem__)
def _get_item(function, arguments, options):
    _expect_reachable(arguments[0], _chosen_by(arguments[1]))
    return ordinary(function, arguments, options)


@special(torch.Tensor.__setitem__)
def _set_item(function, arguments, options):
    tensor, where, value = arguments
    chosen = _chosen_by(where)
    if chosen:
        _expect_reachable(tensor, chosen)
        _expect_together(tensor, value, function)
    mark = marks.mark_of(tensor)
    result = function(*arguments, **options)
    if mark is not None and mark.written is not None:
        part = tensor[where]
        # What indices or a mask choose is a copy: which elements they are is not followed, and all count as written.
        same = marks.storage_id(part) == marks.storage_id(tensor)
        mark.set_written(written.note(mark, part if same else tensor))
    return result


@special(torch.Tensor.index_put_, torch.Tensor.index_put, torch.index_put, torch.index_put_)
def _index_put(function, arguments, options):
    tensor = arguments[0]
    indices = arguments[1] if len(arguments) > 1 else options["indices"]
    _expect_reachable(tensor, indices)
    _expect_together(tensor, arguments[2] if len(arguments) > 2 else options["values"], function)
    return ordinary(function, arguments, options)
