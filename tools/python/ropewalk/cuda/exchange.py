"""Tensors whose memory goes to other packages and to the program's own calls of CUDA: by its address, the CUDA array interface, or
DLPack (CuPy, numba, cuda.core, ctypes). The driver knows it from their next call on (memory.lend_told). And the other way round:
arrays of theirs become tensors by the CUDA array interface."""

import ctypes
import functools
import math

import torch

from .. import session
from . import devices, marks
from .mode import special

Tensor = torch.Tensor
_CUDA = 2  # kDLCUDA of dlpack.h


@special(Tensor.data_ptr)
def _data_ptr(function, arguments, options):
    return _address_told(arguments[0], function(*arguments, **options))


def _address_told(tensor, address):
    """The address for kernels of what lies there, which the program has from now on."""
    mark = marks.mark_of(tensor)
    if mark is None:
        return address
    marks.note_told(tensor, address)
    return address - mark.address + mark.for_kernels() if mark.bytes else address


class _OnGpu:
    """A tensor that says that it is on a GPU, to code of torch that asks before it goes on."""

    is_cuda = True

    def __init__(self, tensor):
        self._tensor = tensor

    def __getattr__(self, name):
        return getattr(self._tensor, name)


@special(Tensor.__cuda_array_interface__.__get__)
def _array_interface(function, arguments, options):
    tensor = arguments[0]
    if marks.mark_of(tensor) is None:
        return function(*arguments, **options)
    with torch._C.DisableTorchFunction():
        told = Tensor.__cuda_array_interface__.fget(_OnGpu(tensor))
    return {**told, "data": (_address_told(tensor, told["data"][0]), False)}


@special(Tensor.__dlpack_device__)
def _dlpack_device(function, arguments, options):
    kind, index = function(*arguments, **options)
    mark = marks.mark_of(arguments[0])
    return (type(kind).kDLCUDA, mark.device.index) if mark is not None else (kind, index)


class _Device(ctypes.Structure):
    """DLTensor of dlpack.h, as far as its device."""

    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


@special(Tensor.__dlpack__)
def _dlpack(function, arguments, options):
    """Whoever takes it has nothing to wait for."""
    tensor = arguments[0]
    mark = marks.mark_of(tensor)
    if mark is None:
        return function(*arguments, **options)
    capsule = function(tensor)
    address_in = ctypes.pythonapi.PyCapsule_GetPointer
    address_in.restype, address_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    inside = _Device.from_address(address_in(capsule, b"dltensor"))
    inside.data, inside.kind, inside.index = _address_told(tensor, inside.data or 0), _CUDA, mark.device.index
    return capsule


class _HostArray:
    """An array of the driver's memory, as numpy sees it where the virtual GPU keeps it."""

    def __init__(self, owner):
        told = owner.__cuda_array_interface__
        self.owner, self.address, size = owner, told["data"][0], _bytes_of(told)
        data = session.of_process().handle.bytes_at(self.address, size) if size else None
        self.__array_interface__ = {**told, "data": (data or 0, False), "version": 3}


def _bytes_of(told):
    """From the first to the last element."""
    size, shape, strides = int(told["typestr"][2:]), told["shape"], told.get("strides")
    if 0 in shape:
        return 0
    if strides is None:
        return math.prod(shape) * size
    return sum((n - 1) * stride for n, stride in zip(shape, strides)) + size


def is_array_of_others(one):
    return not isinstance(one, Tensor) and hasattr(one, "__cuda_array_interface__")


def tensor_of(array):
    """A tensor in the memory of such an array."""
    import numpy
    inside = _HostArray(array)
    tensor = torch.from_numpy(numpy.asarray(inside))
    marks.put(tensor, devices.active.all[devices.current()])
    marks.mark_of(tensor).of_driver = inside.address
    return tensor


def taking(from_dlpack):
    """torch.from_dlpack, which takes tensors of the virtual devices and arrays of other packages too."""

    @functools.wraps(from_dlpack)
    def take(other, **options):
        if isinstance(other, Tensor) and other.is_cuda and not options:
            return other.detach()
        if is_array_of_others(other):
            return tensor_of(other)
        return from_dlpack(other, **options)

    return take
