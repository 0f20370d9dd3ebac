"""Streams and events. Work is done when it is given, so that every stream is always idle and every event has happened."""

import itertools
import threading
import time

import torch

from . import capturing, devices, waiting

_ids = itertools.count(1)
# CU_STREAM_LEGACY of cuda.h: what others launch in one of our streams is in order with all that is done.
_LEGACY = 1


class _Current(threading.local):
    streams = None  # by index of a device


_current = _Current()


class Stream:
    """torch.cuda.Stream."""

    def __init__(self, device=None, priority=0, *, stream_id=None, device_index=None, device_type=None, stream_ptr=None):
        index = device_index if device_index is not None else devices.index_of(device)
        self.device, self.device_index = devices.active.all[index], index
        self.priority = max(self.priority_range()[1], min(0, priority))
        self.stream_id = next(_ids) if stream_id is None else stream_id
        self.cuda_stream = (_LEGACY if self.stream_id else 0) if stream_ptr is None else stream_ptr
        self.device_type = 1

    def query(self):
        capturing.refuse("operation not permitted when stream is capturing", self._is_capturing())
        return True

    def _is_capturing(self):
        return capturing.is_capturing() and self == current_stream(self.device_index)

    if hasattr(torch._C.Stream, "is_capturing"):
        is_capturing = _is_capturing

    def synchronize(self):
        capturing.refuse("operation not permitted when stream is capturing", self._is_capturing())
        waiting.note()

    def wait_event(self, event):
        pass

    def wait_stream(self, stream):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    @staticmethod
    def priority_range():
        return 0, -3  # PyTorch takes four

    @property
    def _as_parameter_(self):
        import ctypes
        return ctypes.c_void_p(self.cuda_stream)

    def __enter__(self):
        self._context = StreamContext(self)
        self._context.__enter__()
        return self

    def __exit__(self, *_):
        self._context.__exit__()

    def __eq__(self, other):
        return isinstance(other, Stream) and (self.stream_id, self.device) == (other.stream_id, other.device)

    def __hash__(self):
        return hash((self.stream_id, self.device))

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):

    def __init__(self, stream_ptr, device=None, **_):
        super().__init__(device, stream_ptr=stream_ptr)


class Event:
    """torch.cuda.Event; elapsed_time is of this machine's clock, in milliseconds."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self.enable_timing, self.device, self._at, self.cuda_event = enable_timing, None, None, next(_ids)
        self._is_captured = False

    def record(self, stream=None):
        self._at, self.device = time.perf_counter(), devices.active.all[devices.current()]
        self._is_captured = capturing.is_capturing()

    def wait(self, stream=None):
        pass

    def query(self):
        self.synchronize()
        return True

    def synchronize(self):
        capturing.refuse("operation not permitted on an event last recorded in a capturing stream", self._is_captured)

    def __repr__(self):
        return f"<torch.cuda.Event {'uninitialized' if self._at is None else hex(self.cuda_event)}>"

    def elapsed_time(self, end_event):
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return 1000 * (end_event._at - self._at)


class StreamContext:
    """torch.cuda.stream(stream)."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._before = devices.current(), current_stream(self.stream.device_index)
            devices.set_current(self.stream.device_index)
            set_stream(self.stream)

    def __exit__(self, *_):
        if self.stream is not None:
            set_stream(self._before[1])
            devices.set_current(self._before[0])


def default_stream(device=None):
    return Stream(device, stream_id=0)


def current_stream(device=None):
    devices.begin()
    index = devices.index_of(device)
    return (_current.streams or {}).get(index) or default_stream(index)


def current_id(index):
    """Of the current stream of this device."""
    if _current.streams is None:
        return 0
    stream = _current.streams.get(index)
    return 0 if stream is None else stream.stream_id


def set_stream(stream):
    if stream is not None:
        if _current.streams is None:
            _current.streams = {}
        _current.streams[stream.device_index] = stream


class DeviceContext:
    """torch.cuda.device(device)."""

    def __init__(self, device):
        self.idx = -1 if device is None or device == -1 else devices.index_of(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = devices.current()
        if self.idx >= 0:
            devices.set_current(self.idx)

    def __exit__(self, *_):
        devices.set_current(self.prev_idx)
        return False


class DeviceOf(DeviceContext):
    """torch.cuda.device_of(tensor)."""

    def __init__(self, tensor):
        super().__init__(tensor.get_device() if isinstance(tensor, torch.Tensor) and tensor.is_cuda else -1)


class _OfAnyDevice(type):

    def __instancecheck__(cls, one):
        return isinstance(one, (cls.of_cuda, cls.of_others))


def _is_virtual(device):
    return device is None or devices.virtual(device) is not None


class AnyStream(metaclass=_OfAnyDevice):
    """torch.Stream."""
    of_cuda, of_others = Stream, torch.Stream

    def __new__(cls, device=None, *arguments, **options):
        return (Stream if _is_virtual(device) else cls.of_others)(device, *arguments, **options)


class AnyEvent(metaclass=_OfAnyDevice):
    """torch.Event."""
    of_cuda, of_others = Event, torch.Event

    def __new__(cls, device=None, **options):
        return Event(**options) if _is_virtual(device) else cls.of_others(device, **options)


OF_TORCH = {"Stream": AnyStream, "Event": AnyEvent}
REPLACED = {
    "Stream": Stream,
    "ExternalStream": ExternalStream,
    "Event": Event,
    "StreamContext": StreamContext,
    "stream": StreamContext,
    "set_stream": set_stream,
    "current_stream": current_stream,
    "default_stream": default_stream,
    "get_stream_from_external": ExternalStream,
    "device": DeviceContext,
    "device_of": DeviceOf,
}
