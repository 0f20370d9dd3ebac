"""Elements that are chosen with brackets or by indices: where they, the indices and the values may be."""

import torch

from . import capturing, marks, waiting, written
from .mode import on_device_of, on_two_devices, ordinary, special


def _device_of(tensor):
    mark = marks.mark_of(tensor)
    return mark.device if mark else tensor.device


def _chosen_by(where):
    """The tensors and lists among what is in the brackets: they choose elements one by one. A tensor without dimensions is a
    number."""
    parts = where if isinstance(where, tuple) else (where,)
    return [one for one in parts if isinstance(one, list) or (isinstance(one, torch.Tensor) and one.dim() > 0)]


def _expect_reachable(tensor, indices):
    """What is read is chosen by indices of the CPU, or of where the tensor is."""
    here = _device_of(tensor)
    for index in indices:
        if isinstance(index, torch.Tensor) and index.dim() > 0:
            mark = marks.mark_of(index)
            if mark is not None and mark.device != here:
                raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({here})")


def _expect_writable(tensor, indices, value, accumulate=False):
    """What is written is chosen by indices of any device. Values are where the tensor is; one without dimensions goes with any,
    and one element of the CPU with a mask that is where the tensor is."""
    if not isinstance(value, torch.Tensor):
        return
    here, there = _device_of(tensor), _device_of(value)
    if here == there or value.dim() == 0:
        return
    if there.type == "cpu" and value.numel() == 1 and not accumulate and _is_mask(indices, here):
        return
    if accumulate and here.type != "cpu":
        raise RuntimeError(f"expected device {here} but got device {there} for value tensor")
    raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, "
                       f"{here if here.type != 'cpu' else there} and {there if here.type != 'cpu' else here}!")


def _is_mask(indices, device):
    """One mask, which is on the device."""
    given = [one for one in indices if one is not None]
    return (len(given) == 1 and isinstance(given[0], torch.Tensor) and given[0].dtype in (torch.bool, torch.uint8)
            and _device_of(given[0]) == device)


def _expect_capturable(tensor, chosen):
    """Indices of the CPU are copied to the device."""
    if (waiting.debug_mode or capturing.is_capturing()) and marks.mark_of(tensor) is not None:
        for one in chosen:
            if isinstance(one, list) or marks.mark_of(one) is None:
                if capturing.is_capturing():
                    capturing.refuse_pageable()
                waiting.note()


def _expect_no_wait(tensor, chosen, value):
    """Where that is refused. Elements that a mask chooses are counted, where each gets its own value."""
    if not isinstance(value, torch.Tensor) or marks.mark_of(tensor) is None:
        return
    is_there = marks.mark_of(value) is not None
    if is_there and _is_mask(chosen, _device_of(tensor)):
        capturing.expect_no_capture("an index by a mask waits for the values")
        waiting.note()
    elif not is_there and not chosen:
        waiting.note()


@special(torch.Tensor.__getitem__)
def _get_item(function, arguments, options):
    chosen = _chosen_by(arguments[1])
    if chosen:
        _expect_capturable(arguments[0], chosen)
        _expect_reachable(arguments[0], chosen)
    return ordinary(function, arguments, options)


@special(torch.Tensor.__setitem__)
def _set_item(function, arguments, options):
    tensor, where, value = arguments
    chosen = _chosen_by(where)
    _expect_capturable(tensor, chosen)
    _expect_no_wait(tensor, chosen, value)
    # PyTorch takes leading dimensions of one element away.
    if chosen and isinstance(value, torch.Tensor) and value.numel() != 1:
        _expect_writable(tensor, chosen, value)
    mark = marks.mark_of(tensor)
    # On a GPU a number is made a tensor before it is stored.
    if mark is not None and isinstance(value, (bool, int, float, complex)):
        value = torch.scalar_tensor(value, dtype=tensor.dtype)
    with on_device_of(tensor, function, arguments):
        result = function(tensor, where, value, **options)
    if mark is not None and mark.written is not None:
        part = tensor[where]
        # What indices or a mask choose is a copy: which elements they are is not followed, and all count as written.
        same = marks.storage_id(part) == marks.storage_id(tensor)
        mark.set_written(written.note(mark, part if same else tensor))
    return result


@special(torch.Tensor.index_put_, torch.Tensor.index_put, torch.index_put, torch.index_put_)
def _index_put(function, arguments, options):
    given = dict(zip(("self", "indices", "values", "accumulate"), arguments)) | options
    tensor = given.get("self", given.get("input"))
    _expect_writable(tensor, given["indices"], given["values"], given.get("accumulate", False))
    if marks.mark_of(tensor) is None:
        return function(*arguments, **options)
    return ordinary(function, arguments, options)


@special(torch.Tensor.masked_fill, torch.Tensor.masked_fill_, torch.masked_fill)
def _masked_fill(function, arguments, options):
    given = dict(zip(("self", "mask", "value"), arguments)) | options
    tensor, mask = given.get("self", given.get("input")), given["mask"]
    here, there = _device_of(tensor), _device_of(mask)
    if here != there and mask.dim() > 0:
        raise RuntimeError(f"expected self and mask to be on the same device, but got mask on {there} and self on {here}")
    value = given.get("value")
    if isinstance(value, torch.Tensor) and here.type == "cpu" and marks.mark_of(value) is not None:
        raise RuntimeError("masked_fill_: Expected inputs to be on same device")
    return ordinary(function, arguments, options)


@special(torch.Tensor.index_fill, torch.Tensor.index_fill_, torch.index_fill)
def _index_fill(function, arguments, options):
    """The value may be of any device."""
    given = dict(zip(("self", "dim", "index", "value"), arguments)) | options
    tensor = given.get("self", given.get("input"))
    if _device_of(tensor) != _device_of(given["index"]):
        raise on_two_devices(*sorted((_device_of(tensor), _device_of(given["index"])), key=lambda one: one.type == "cpu"), function)
    return ordinary(function, arguments, options) if marks.mark_of(tensor) is not None else function(*arguments, **options)
