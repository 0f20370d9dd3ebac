"""Operators that copy elements: what nobody has written stays unwritten in the copy."""

import ctypes

import torch

from . import marks, written

_REARRANGE = """
clone contiguous cat concat concatenate stack hstack vstack dstack reshape flatten repeat tile flip roll index_select
""".split()
_CONVERT = "to half float double bfloat16 type type_as copy_".split()
NAMES = frozenset(_REARRANGE + _CONVERT)


def follow(function, arguments, options, result):
    """After a call whose arguments are on a device, and not all written."""
    name = getattr(function, "__name__", "")
    if name not in NAMES or not isinstance(result, torch.Tensor) or not arguments or "out" in options:
        return
    if name == "copy_":
        source = arguments[1] if len(arguments) > 1 else options["other"]
        flags = flags_of(source if isinstance(source, torch.Tensor) else torch.tensor(0, device="cpu")).expand(result.shape)
    elif any(marks.storage_id(one) == marks.storage_id(result) for one in marks.tensors_in(arguments)):
        return  # a view
    elif name in _CONVERT:
        flags = flags_of(arguments[0])
    else:
        flags = function(torch.utils._pytree.tree_map(flags_of, arguments[0]), *arguments[1:], **options)
    if not bool(flags.all()):
        _leave_unwritten(result, flags)
        made, sources = marks.mark_of(result), map(marks.mark_of, marks.tensors_in(arguments))
        if made is not None:
            made.was_lent |= any(mark.was_lent for mark in sources if mark is not None)


def grown(tensor, before):
    """After resize_, which keeps the `before` bytes that the storage had: nobody has written those behind."""
    mark, storage = marks.mark_of(tensor), marks.storage_of(tensor)
    if mark is None or mark.bytes <= before:
        return
    bits = torch.zeros(-(-mark.bytes // 64) * 8, dtype=torch.uint8, device="cpu")
    written.set_range(bits, 0, before)
    ctypes.memset(storage.data_ptr() + before, written.FRESH, mark.bytes - before)
    mark.set_written(bits)


def flags_of(value):
    """For each element whether all its bytes are written, on the CPU."""
    if not isinstance(value, torch.Tensor):
        return value
    mark, storage = marks.mark_of(value), marks.storage_of(value)
    if mark is None:
        return torch.ones(value.shape, dtype=torch.bool, device="cpu")
    if mark.written is not None:
        mark.set_written(written.note_others(mark, storage))
    if mark.written is None:
        return torch.ones(value.shape, dtype=torch.bool, device="cpu")
    if not value.numel():
        return torch.ones(value.shape, dtype=torch.bool, device="cpu")
    size = value.element_size()
    first, span = value.storage_offset() * size, written.span_of(value)
    start = first // 8  # of the bytes of bits that the view needs
    flags = written.flags(mark.written[start:-(-(first + span) // 8)])[first - 8 * start:][:span]
    return flags.view(-1, size).all(1).as_strided(value.shape, value.stride(), 0)


def _leave_unwritten(tensor, flags):
    """Elements of the view whose flag is not set."""
    mark, storage, size = marks.mark_of(tensor), marks.storage_of(tensor), tensor.element_size()
    if mark is None or mark.bytes % size:
        return
    known = (written.flags(mark.written)[:mark.bytes] if mark.written is not None
             else torch.ones(mark.bytes, dtype=torch.bool, device="cpu"))
    elements = known.view(-1, size).all(1).clone()
    elements.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).copy_(flags)
    written.bytes_of(storage).view(-1, size)[~elements] = written.FRESH
    mark.set_written(written.packed(elements.repeat_interleave(size)))
