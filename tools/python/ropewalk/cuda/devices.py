"""The virtual devices, and what names one."""

import os
import threading

import torch

GIB = 1 << 30
# name, multiprocessors, shared bytes per block, L2 bytes, memory, kHz of the processors and of the memory, bits of its bus, of each
# target; NVIDIA's data sheets and CUDA's programming guide. The memory of an H100 is what one says of itself.
# lib/driver/device.cpp has the same figures.
_BOARDS = {
    80: ("NVIDIA A100-SXM4-80GB (virtual)", 108, 163 << 10, 40 << 20, 80 * GIB, 1410000, 1593000, 5120),
    90: ("NVIDIA H100 80GB HBM3 (virtual)", 132, 227 << 10, 50 << 20, 81079 << 20, 1980000, 2619000, 5120),
    100: ("NVIDIA B200 (virtual)", 148, 227 << 10, 126 << 20, 180 * GIB, 1965000, 3996000, 8192),
}
_current = threading.local()
_device = torch.device  # the type, whatever is put in its place


class Devices:
    """How many there are, and what they are. look(): the numbers of those that the program sees (CUDA_VISIBLE_DEVICES), asked until
    one is used; None: all of them."""

    def __init__(self, target="sm_80", count=1, memory=0, look=None):
        number = int("".join(c for c in target.removeprefix("sm_") if c.isdigit()) or 0)
        if number not in _BOARDS:
            raise ValueError(f"target: expected one of {', '.join(f'sm_{one}' for one in _BOARDS)}, found {target}")
        self.target, self.capability, self._look = target, divmod(number, 10), look
        (self.name, self.multiprocessors, self.shared_bytes, self.l2_bytes, self.memory, self.clock_khz, self.memory_clock_khz,
         self.bus_bits) = _BOARDS[number]
        self.memory = memory or self.memory
        self._see(range(count))

    def _see(self, numbers):
        self._numbers, self._all = list(numbers), [_device("cuda", index) for index in range(len(numbers))]

    @property
    def numbers(self):
        """Those that the devices have among all of the machine."""
        if self._look is not None:
            seen = self._look()
            if seen != self._numbers:
                self._see(seen)
        return self._numbers

    @property
    def all(self):
        return self._all[:len(self.numbers)]

    @property
    def count(self):
        return len(self.numbers)

    def settle(self):
        """One is used: these are those that the program sees from now on."""
        if self._look is not None and self.numbers:
            self._look = None


active = Devices()


def cuda_error(words):
    """As PyTorch raises what CUDA refuses."""
    return getattr(torch, "AcceleratorError", RuntimeError)(f"CUDA error: {words}")


_process = None  # that used a device first


def begin():
    """A device is used. RuntimeError: this process was forked from one that did."""
    global _process
    active.settle()
    if _process is None:
        _process = os.getpid()
    elif is_in_bad_fork():
        raise RuntimeError("Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
                           "'spawn' start method")


def has_begun():
    """Whether this process has used one."""
    return _process == os.getpid()


def is_in_bad_fork():
    return _process not in (None, os.getpid())


def current():
    return getattr(_current, "index", 0)


def set_current(index):
    if not 0 <= index < active.count:
        raise cuda_error(f"invalid device ordinal (device {index} of {active.count}; rope-check run --devices N makes more)")
    _current.index = index


def virtual(device):
    """The device that "cuda", "cuda:1", 1 or torch.device("cuda") names; None where it names no virtual one."""
    if isinstance(device, int):
        index = device
    else:
        if isinstance(device, str):
            device = _device(device)
        if device.type != "cuda":
            return None
        index = device.index
    if index is None or index == -1:
        index = current()
    if index >= active.count:
        if active.count == 0:
            raise RuntimeError("No CUDA GPUs are available")
        raise cuda_error(f"invalid device ordinal (cuda:{index} of {active.count}; rope-check run --devices N makes more)")
    return active.all[index]


def index_of(device=None):
    """As torch.cuda's functions take it: a device, its name, its number or None."""
    found = virtual(current() if device is None else device)
    if found is None:
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return found.index
