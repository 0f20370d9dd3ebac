"""What torch.cuda answers about the devices, their memory and their random numbers."""

import types
import uuid

import torch

from . import capturing, devices, generators, streams, usage
from .. import session


class _Properties(types.SimpleNamespace):

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count}, uuid={self.uuid}, "
                f"pci_bus_id={self.pci_bus_id}, pci_device_id={self.pci_device_id}, pci_domain_id={self.pci_domain_id}, "
                f"L2_cache_size={self.L2_cache_size >> 20}MB)")


def get_device_properties(device=None):
    """PCI numbers and UUID as lib/driver/api/device.cpp has them."""
    if isinstance(device, int) and not 0 <= device < devices.active.count:
        raise AssertionError("Invalid device id")
    board = devices.active
    number = board.numbers[devices.index_of(device)]
    return _Properties(
        name=board.name,
        major=board.capability[0],
        minor=board.capability[1],
        multi_processor_count=board.multiprocessors,
        total_memory=board.memory,
        warp_size=32,
        L2_cache_size=board.l2_bytes,
        clock_rate=board.clock_khz,
        memory_clock_rate=board.memory_clock_khz,
        memory_bus_width=board.bus_bits,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=board.shared_bytes,
        shared_memory_per_multiprocessor=board.shared_bytes + 1024,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        is_integrated=False,
        is_multi_gpu_board=False,
        gcnArchName="",
        uuid=uuid.UUID(bytes=b"ropewalk-device" + bytes([number])),
        pci_domain_id=0,
        pci_bus_id=number + 1,
        pci_device_id=0,
    )


def _allocated(device=None):
    return usage.of_device(device).tallies["all"].bytes


def _peak(device=None):
    return usage.of_device(device).tallies["all"].peak_bytes


def _reserved(device=None):
    return usage.of_device(device).reserved["all"].current


def _peak_reserved(device=None):
    return usage.of_device(device).reserved["all"].peak


def _memory_info(device=None):
    return devices.active.memory - _reserved(device), devices.active.memory


def _synchronize():
    capturing.expect_no_capture("torch.cuda.synchronize")
    session.synchronize()


def _seed(seed):
    capturing.expect_same_seed(int(seed))
    torch.default_generator.manual_seed(int(seed))


def _new_seed():
    torch.default_generator.seed()


def _get_rng_state(device="cuda"):
    return generators.state_of(torch.default_generator)


def _set_rng_state(state, device="cuda"):
    generators.set_state(torch.default_generator, state.cpu())


def _set_device(device):
    index = devices.index_of(device) if not isinstance(device, int) or device >= 0 else None
    if index is not None:
        devices.set_current(index)


def _exchange_device(index):
    before = devices.current()
    _set_device(index)
    return before if index >= 0 else -1


def _always(value):
    return lambda *_, **__: value


ANSWERS = {
    "is_available": lambda: devices.active.count > 0,
    "is_initialized": _always(True),
    "init": _always(None),
    "_lazy_init": _always(None),
    "_lazy_call": lambda function, **_: function(),
    "_is_in_bad_fork": _always(False),
    "device_count": lambda: devices.active.count,
    "current_device": lambda: devices.current(),
    "set_device": _set_device,
    "_exchange_device": lambda index: _exchange_device(index),
    "_maybe_exchange_device": lambda index: _exchange_device(index),
    "synchronize": lambda device=None: _synchronize(),
    "ipc_collect": _always(None),
    "get_device_capability": lambda device=None: devices.active.capability,
    "get_device_name": lambda device=None: devices.active.name,
    "get_device_properties": get_device_properties,
    "get_arch_list": lambda: [devices.active.target],
    "can_device_access_peer": lambda device, peer_device: devices.index_of(device) != devices.index_of(peer_device),
    "is_bf16_supported": _always(True),
    "is_tf32_supported": _always(True),
    "_sleep": _always(None),
    "utilization": _always(0),
    "empty_cache": usage.empty_all,
    "memory_allocated": _allocated,
    "max_memory_allocated": _peak,
    "memory_reserved": _reserved,
    "max_memory_reserved": _peak_reserved,
    "memory_cached": _reserved,
    "max_memory_cached": _peak_reserved,
    "reset_max_memory_allocated": lambda device=None: usage.of_device(device).reset_peak(),
    "reset_max_memory_cached": lambda device=None: usage.of_device(device).reset_peak(),
    "mem_get_info": _memory_info,
    "set_per_process_memory_fraction": _always(None),
    "manual_seed": _seed,
    "manual_seed_all": _seed,
    "seed": _new_seed,
    "seed_all": _new_seed,
    "initial_seed": lambda: torch.default_generator.initial_seed(),
    "get_rng_state": _get_rng_state,
    "set_rng_state": _set_rng_state,
    "get_rng_state_all": lambda: [_get_rng_state() for _ in range(devices.active.count)],
    "set_rng_state_all": lambda states: [_set_rng_state(one) for one in states][:0],
}

# torch._C's own, which some programs call. Dynamo tells functions apart: none has two names.
RAW = {
    "_cuda_getDeviceCount": lambda: devices.active.count,
    "_cuda_getDevice": lambda: devices.current(),
    "_cuda_setDevice": lambda index: _set_device(index),
    "_cuda_exchangeDevice": lambda index: _exchange_device(index),
    "_cuda_maybeExchangeDevice": lambda index: _exchange_device(index),
    "_cuda_getCurrentRawStream": _always(0),
    "_cuda_memoryStats": lambda index: usage.of(index).nested(),
    "_cuda_resetPeakMemoryStats": lambda index: usage.of(index).reset_peak(),
    "_cuda_resetAccumulatedMemoryStats": lambda index: usage.of(index).reset_accumulated(),
    "_cuda_synchronize": lambda: _synchronize(),
    "_cuda_isInBadFork": devices.is_in_bad_fork,
    "_get_accelerator": lambda check=None: torch.device("cuda"),
    "_accelerator_getAccelerator": lambda: torch.device("cuda"),
}
# What the code that inductor prints makes its tensors with.
OF_INDUCTOR = {"_empty_strided_cuda": lambda size, stride, dtype: torch.empty_strided(size, stride, dtype=dtype, device="cuda")}
ACCELERATOR = {
    "is_available": lambda: devices.active.count > 0,
    "device_count": lambda: devices.active.count,
    "current_accelerator": lambda check_available=False: torch.device("cuda"),
    "current_device_index": lambda: devices.current(),
    "current_device_idx": lambda: devices.current(),
    "set_device_index": lambda device: _set_device(device),
    "set_device_idx": lambda device: _set_device(device),
    "current_stream": lambda device=None: streams.current_stream(device),
    "set_stream": lambda stream: streams.set_stream(stream),
    "synchronize": lambda device=None: _synchronize(),
    "empty_cache": lambda: usage.empty_all(),
    "memory_allocated": lambda device=None: _allocated(device),
    "max_memory_allocated": lambda device=None: _peak(device),
    "memory_reserved": lambda device=None: _reserved(device),
    "max_memory_reserved": lambda device=None: _peak_reserved(device),
    "get_memory_info": lambda device=None: _memory_info(device),
}
NVTX = {"range_push": _always(0), "range_pop": _always(0), "mark": _always(None), "range_start": _always(0), "range_end": _always(None)}
# Functions of torch.cuda.cudart() that have nothing to do here, and answer success.
OF_RUNTIME = ("cudaProfilerStart", "cudaProfilerStop", "cudaHostRegister", "cudaHostUnregister")
