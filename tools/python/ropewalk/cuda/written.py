"""Which bytes of a fresh storage somebody has written: a bit a byte, as the machine keeps them.

A storage that torch.empty gave is filled with 0xFF. Writes of PyTorch's operators and of kernels are noted as they happen; what
others write (numpy, a storage's own functions) is seen before a launch: of a word with a byte that is no longer 0xFF, and that
nobody has noted, all bytes count as written."""

import ctypes

import torch

from .. import library

FRESH = 0xFF
_POWERS = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.uint8, device="cpu")
LARGE = 1 << 24  # bytes of a span with gaps; of a larger one all bytes count as written


def bytes_of(storage):
    return torch.tensor([], dtype=torch.uint8, device="cpu").set_(storage)


def nothing(storage):
    """The bits of a storage that nobody has written, in whole words of 8 bytes."""
    ctypes.memset(storage.data_ptr(), FRESH, storage.nbytes())
    return torch.zeros(-(-storage.nbytes() // 64) * 8, dtype=torch.uint8, device="cpu")


def span_of(tensor):
    """The bytes from the first to the last element of a view that has some."""
    return (sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride())) + 1) * tensor.element_size()


def note(mark, tensor):
    """All elements of this view were written. The bits, or None where all of the storage is. What a view inside a transform of
    torch.func leaves out is not known: all counts as written."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return None
    size, first = tensor.element_size(), tensor.storage_offset() * tensor.element_size()
    if not tensor.numel():
        return mark.written
    span = span_of(tensor)
    if span == tensor.numel() * size or span > LARGE:
        if span == mark.bytes:
            return None
        set_range(mark.written, first, first + span)
        return mark.written
    elements = torch.zeros(span // size, dtype=torch.bool, device="cpu")
    elements.as_strided(tensor.shape, tensor.stride()).fill_(True)
    _set(mark.written, first, elements.repeat_interleave(size))
    return mark.written


def note_others(mark, storage):
    """Takes for written what is no longer as it was. The bits, or None where all of the storage is written."""
    if storage.nbytes() != mark.bytes:  # it was resized
        return None
    done = library.load().ropewalk_note_written(storage.data_ptr(), mark.bytes, mark.written.data_ptr())
    return None if done else mark.written


def flags(bits):
    """One for each byte."""
    return (bits[:, None] & _POWERS).bool().flatten()


def set_range(bits, first, last):
    head, tail = min(-(-first // 8) * 8, last), max(last // 8 * 8, first)
    if head < tail:
        bits[head // 8:tail // 8] = 255
    for start, end in ((first, head), (max(tail, head), last)):
        if start < end:
            bits[start // 8] |= (1 << (end - start)) - 1 << start % 8


def packed(bytes_written):
    """The bits of a flag for each byte, in whole words of 8 bytes."""
    bits = torch.zeros(-(-len(bytes_written) // 64) * 8, dtype=torch.uint8, device="cpu")
    _set(bits, 0, bytes_written)
    return bits


def _set(bits, first, new):
    """Sets the bits, from bit `first` on, where new ones are."""
    lead = first % 8
    padded = torch.zeros(-(-(lead + len(new)) // 8) * 8, dtype=torch.uint8, device="cpu")
    padded[lead:lead + len(new)] = new
    sums = (padded.view(-1, 8) * _POWERS).sum(1, dtype=torch.uint8)
    bits[first // 8:first // 8 + len(sums)] |= sums
