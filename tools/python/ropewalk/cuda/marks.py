"""Which memory is on a virtual device: a mark at the storage, so that views and gradients agree. PyTorch keeps the Python object
of a storage, and so its mark, as long as the storage lives."""

import contextlib
import sys
import weakref

import torch
import torch.utils._pytree
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from . import devices, streams, usage, written

NO_STORAGE = (NotImplementedError, RuntimeError)  # raised for sparse tensors, and for nested ones
_NOTHING = contextlib.nullcontext()
_LIVE = {}  # weak references to marks, by their ids
_TOLD = weakref.WeakValueDictionary()  # storages of devices in which the program has had an address, by their ids
_DEAD = {}  # bytes by address, oldest first, of memory that is gone, and whose address the program has
_MOST_DEAD = 256
_ON_SPARSE = "_ropewalk_mark"  # sparse tensors have no storage: their mark is an attribute of the tensor
_PLAIN = (torch.Tensor, torch.nn.Parameter)
torch.UntypedStorage.ropewalk_mark = None
torch.UntypedStorage.ropewalk_pinned = None


class Reachable:
    """Memory of a storage that kernels can reach. written: its written bytes (written.py), None where all are. lent: the session
    that it is lent to, or None (memory.py). was_lent: whether a kernel was given it, or what it is a copy of. is_told: whether the program has its address."""

    __slots__ = ("address", "bytes", "written", "lent", "was_lent", "is_told", "__weakref__")

    def __init__(self):
        self.address, self.bytes, self.written, self.lent = 0, 0, None, None
        self.was_lent = self.is_told = False
        _LIVE[id(self)] = weakref.ref(self)

    def for_kernels(self):
        """The address by which kernels know it."""
        return self.address

    def take_back(self):
        if self.lent is not None:
            session, self.lent = self.lent, None
            session.handle.take_back(self.address)

    def leave(self):
        """The memory is gone."""
        self.take_back()
        if self.is_told and self.bytes and self.for_kernels() == self.address:
            self.is_told = False
            _DEAD.pop(self.address, None)
            _DEAD[self.address] = self.bytes
            if len(_DEAD) > _MOST_DEAD:
                _DEAD.pop(next(iter(_DEAD.copy())), None)

    def __del__(self):
        if sys.is_finalizing():
            return
        _LIVE.pop(id(self), None)
        self.leave()


class Pinned(Reachable):
    """That of the host."""

    __slots__ = ()

    def __init__(self, storage):
        super().__init__()
        self.place(storage)

    def place(self, storage):
        if (storage.data_ptr(), storage.nbytes()) != (self.address, self.bytes):
            self.leave()
            self.address, self.bytes = storage.data_ptr(), storage.nbytes()


class Mark(Reachable):
    """That of a device. device: torch.device with its index. block: of the device's memory, for the statistics. of_driver: where
    the driver has it that gave it to somebody else, or None."""

    __slots__ = ("device", "block", "of_driver")

    def __init__(self, device, storage):
        super().__init__()
        self.device, self.block, self.of_driver = device, None, None
        devices.begin()
        if storage is not None:
            self.place(storage)

    def place(self, storage):
        """Notes where the storage lies, now and after each call that may have moved it."""
        if storage.device.type == "meta":
            return  # of a tensor that stands for one in a trace
        try:
            address, size = storage.data_ptr(), storage.nbytes()
        except RuntimeError:
            return  # of a tensor that is made of others, which have the memory: a nested one, one of several devices
        if (address, size) != (self.address, self.bytes):
            self.leave()
            self.written = self.of_driver = None
            used = usage.of(self.device.index)
            used.free(self.block)
            self.block = used.allocate(size, streams.current_id(self.device.index))
            self.address, self.bytes = address, size

    def for_kernels(self):
        return self.address if self.of_driver is None else self.of_driver

    def set_written(self, bits):
        """None: all is written. The machine must know no bits that are gone."""
        if bits is not self.written:
            self.take_back()
            self.written = bits

    def __del__(self):
        if sys.is_finalizing():
            return
        usage.of(self.device.index).free(self.block)
        super().__del__()


def all_live():
    """What kernels can reach."""
    return [one for one in (reference() for reference in list(_LIVE.values())) if one is not None]


def all_dead():
    """What kernels could have reached, and the program may still have the address of: bytes by address."""
    return _DEAD.copy()


def all_told():
    """Storages that the program has an address in."""
    return [storage for storage in list(_TOLD.values()) if storage.ropewalk_mark is not None]


def note_told(tensor, address):
    """The program asked for this address in the tensor's memory: it leads to nothing that is gone."""
    mark = mark_of(tensor)
    if mark is not None:
        mark.is_told = True
        storage = storage_of(tensor)
        _TOLD[storage._cdata] = storage
    for first, size in _DEAD.copy().items():
        if first <= address < first + size:
            _DEAD.pop(first, None)


def is_made_of_others(tensor):
    """Whether its elements are those of tensors inside it, in an order of its own."""
    return type(tensor) not in _PLAIN or torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def innermost(tensor):
    """A tensor that wraps others (a transform of torch.func, DTensor, jagged tensors) is where the first of them is."""
    while True:
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            tensor = torch._C._functorch.get_unwrapped(tensor)
        elif type(tensor) not in _PLAIN and is_traceable_wrapper_subclass(tensor):
            tensor = getattr(tensor, tensor.__tensor_flatten__()[0][0])
        else:
            return tensor


def storage_of(tensor):
    """One of those in NO_STORAGE is raised where it has none."""
    if not is_made_of_others(tensor):
        return tensor.untyped_storage()
    with without_subclass(tensor):
        return innermost(tensor).untyped_storage()


def plain(tensor):
    """The context in which a parameter whose shape is not known yet is a tensor like others."""
    return torch._C.DisableTorchFunctionSubclass() if is_lazy(tensor) else _NOTHING


def without_subclass(tensor):
    """The context in which a tensor of a kind of its own answers as any other."""
    return _NOTHING if type(tensor) in _PLAIN else torch._C.DisableTorchFunctionSubclass()


def mark_of(tensor):
    """Its mark, or None. To be called where no mode is active."""
    try:
        return storage_of(tensor).ropewalk_mark
    except NO_STORAGE:
        return getattr(tensor, _ON_SPARSE, None)


def tensors_in(*values):
    """All of them, in lists, dicts and the like too."""
    return [one for one in torch.utils._pytree.tree_leaves(values) if isinstance(one, torch.Tensor)]


def device_among(*values):
    """That of the first tensor that is on one, or None. To be called where no mode is active."""
    return next((mark.device for mark in map(mark_of, tensors_in(*values)) if mark), None)


def put(tensor, device):
    """Says that this tensor's memory is on the device, if it is of the CPU and nothing is known of it yet."""
    try:
        storage = storage_of(tensor)
    except NO_STORAGE:
        setattr(tensor, _ON_SPARSE, Mark(device, None))
        return
    if storage.ropewalk_mark is None and tensor.is_cpu:
        storage.ropewalk_mark = Mark(device, storage)


def put_all(value, device, except_for=()):
    """On every tensor in a result, but those whose storages are in except_for."""
    if isinstance(value, torch.Tensor):
        if not except_for or storage_id(value) not in except_for:
            put(value, device)
    elif isinstance(value, (tuple, list)):
        for one in value:
            put_all(one, device, except_for)


def moved(tensor):
    """After a call that may have given the tensor's storage other memory."""
    mark = mark_of(tensor)
    if mark is not None and not tensor.is_sparse:
        mark.place(storage_of(tensor))


def put_fresh(tensor, device):
    """As put(), and nobody has written this memory."""
    put(tensor, device)
    mark = mark_of(tensor)
    if mark is not None and mark.bytes:
        mark.set_written(written.nothing(storage_of(tensor)))


def storage_id(tensor):
    try:
        return storage_of(tensor)._cdata
    except NO_STORAGE:
        return id(tensor)
