"""Which memory is on a virtual device: a mark at the storage, so that views and gradients agree. PyTorch keeps the Python object
of a storage, and so its mark, as long as the storage lives."""

import torch

from . import written

ALLOCATED, PEAK = {}, {}  # bytes by index of a device
_ON_SPARSE = "_ropewalk_mark"  # sparse tensors have no storage: their mark is an attribute of the tensor
torch.UntypedStorage.ropewalk_mark = None
torch.UntypedStorage.ropewalk_pinned = False


class Mark:
    """device: torch.device with its index. bytes: of the storage. written: its written bytes (written.py), None where all are."""

    __slots__ = ("device", "bytes", "written")

    def __init__(self, device, size):
        self.device, self.bytes, self.written = device, size, None
        index = device.index
        ALLOCATED[index] = ALLOCATED.get(index, 0) + size
        PEAK[index] = max(PEAK.get(index, 0), ALLOCATED[index])

    def __del__(self):
        ALLOCATED[self.device.index] -= self.bytes


def mark_of(tensor):
    """Its mark, or None. To be called where no mode is active."""
    try:
        return tensor.untyped_storage().ropewalk_mark
    except (NotImplementedError, RuntimeError):
        return getattr(tensor, _ON_SPARSE, None)


def put(tensor, device):
    """Says that this tensor's memory is on the device, if it is of the CPU and nothing is said of it yet."""
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        setattr(tensor, _ON_SPARSE, Mark(device, 0))
        return
    if storage.ropewalk_mark is None and tensor.is_cpu:
        storage.ropewalk_mark = Mark(device, storage.nbytes())


def put_all(value, device, except_for=()):
    """On every tensor in a result, but those whose storages are in except_for."""
    if isinstance(value, torch.Tensor):
        if not except_for or storage_id(value) not in except_for:
            put(value, device)
    elif isinstance(value, (tuple, list)):
        for one in value:
            put_all(one, device, except_for)


def put_fresh(tensor, device):
    """As put(), and nobody has written this memory."""
    put(tensor, device)
    mark = mark_of(tensor)
    if mark is not None and mark.bytes:
        mark.written = written.nothing(tensor.untyped_storage())


def storage_id(tensor):
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return id(tensor)
