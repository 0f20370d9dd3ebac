"""Generators of random numbers. Those of a device are drawn on the CPU: what torch.cuda calls a generator's own comes from the CPU's
default one, and manual_seed of one seeds both.

A state is as CUDA's: the seed and the offset, of 8 bytes each. Which state of the CPU's generator it stands for is kept as long as
the process lives. A pair that no generator has given stands for one that is made of its numbers alone."""

import ctypes
import hashlib
import struct

import torch

from . import devices, mode

_states = {}  # of the CPU's generator, as bytes, by (seed, offset)
_pairs = {}  # the other way round
_last_offset = {}  # by seed
_STEP = 4  # offsets are multiples of it
_FORMAT = "<QQ"


class _AnyGenerator(type(torch._C.Generator)):

    def __instancecheck__(cls, value):
        return isinstance(value, torch._C.Generator)


class Generator(torch._C.Generator, metaclass=_AnyGenerator):
    """torch.Generator."""

    def __new__(cls, device="cpu"):
        on = devices.virtual(device)
        made = super().__new__(cls, "cpu" if on is not None else device)
        made._on = on
        return made

    def __init__(self, device="cpu"):
        pass

    @property
    def device(self):
        return self._on or super().device

    def get_state(self):
        return super().get_state() if self._on is None else state_of(super())

    def set_state(self, state):
        if self._on is None:
            super().set_state(state)
        else:
            set_state(super(), state)
        return self

    def get_offset(self):
        return super().get_offset() if self._on is None else _pair_of(super())[1]

    def set_offset(self, offset):
        if self._on is None:
            super().set_offset(offset)
        else:
            _set_offset(super(), offset)
        return self


class OfDevice(Generator):
    """One of torch.cuda.default_generators. is_default: functions that get it draw from the CPU's."""

    is_default = True

    def get_state(self):
        return state_of(torch.default_generator)

    def set_state(self, state):
        set_state(torch.default_generator, state)
        return self

    def get_offset(self):
        return _pair_of(torch.default_generator)[1]

    def set_offset(self, offset):
        _set_offset(torch.default_generator, offset)
        return self

    def initial_seed(self):
        return torch.default_generator.initial_seed()

    def manual_seed(self, seed):
        torch.default_generator.manual_seed(seed)
        return self

    def seed(self):
        return torch.default_generator.seed()


def state_of(generator):
    """A generator of the CPU."""
    with mode.OwnWork(), torch._C.DisableTorchFunction():
        return torch.frombuffer(bytearray(struct.pack(_FORMAT, *_pair_of(generator))), dtype=torch.uint8)


def set_state(generator, state):
    with mode.OwnWork(), torch._C.DisableTorchFunction():
        if not isinstance(state, torch.Tensor) or state.dtype != torch.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.numel() != struct.calcsize(_FORMAT):
            raise RuntimeError("RNG state is wrong size")
        _set_pair(generator, struct.unpack(_FORMAT, bytes(state.tolist())))


def _set_offset(generator, offset):
    if offset % _STEP:
        raise RuntimeError("offset must be a multiple of 4")
    _set_pair(generator, (generator.initial_seed(), offset))


def _pair_of(generator):
    with mode.OwnWork(), torch._C.DisableTorchFunction():
        state, seed = _bytes_of(generator), generator.initial_seed()
        if state not in _pairs:
            fresh = state == _bytes_of(torch._C.Generator("cpu").manual_seed(seed))
            _keep((seed, 0 if fresh else _last_offset.get(seed, 0) + _STEP), state)
        return _pairs[state]


def _set_pair(generator, pair):
    with mode.OwnWork(), torch._C.DisableTorchFunction():
        if pair not in _states:
            _keep(pair, _made_of(*pair))
        generator.set_state(torch.frombuffer(bytearray(_states[pair]), dtype=torch.uint8))


def _keep(pair, state):
    seed, offset = pair
    _states[pair], _pairs[state] = state, pair
    _last_offset[seed] = max(offset - offset % _STEP, _last_offset.get(seed, 0))


def _made_of(seed, offset):
    """The CPU's state has the seed first."""
    other = int.from_bytes(hashlib.blake2b(struct.pack(_FORMAT, seed, offset), digest_size=8).digest(), "little")
    state = _bytes_of(torch._C.Generator("cpu").manual_seed(other if offset else seed))
    return struct.pack("<Q", seed) + state[8:]


def _bytes_of(generator):
    state = generator.get_state()
    return ctypes.string_at(state.data_ptr(), state.nbytes)
