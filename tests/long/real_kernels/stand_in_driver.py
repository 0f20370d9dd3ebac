"""Triton's runtime without a GPU: kernels are compiled for sm_80, and each launch of a wrapper goes to `take`."""

import contextlib
import types

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.backends.nvidia.compiler import CUDABackend
from triton.runtime.autotuner import Autotuner
from triton.runtime.errors import OutOfResources

CAPABILITY = (8, 0)
PROPERTIES = types.SimpleNamespace(
    name="NVIDIA A100-SXM4-40GB",
    major=8,
    minor=0,
    multi_processor_count=108,
    total_memory=40 << 30,
    warp_size=32,
    shared_memory_per_block_optin=166912,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536,
    L2_cache_size=40 << 20,
)
SHARED_BYTES = 166912  # per block, of an A100


class _Utilities:
    """What Triton asks of a driver before a launch."""

    def get_device_properties(self, _device):
        return {
            "max_shared_mem": SHARED_BYTES,
            "multiprocessor_count": PROPERTIES.multi_processor_count,
            "warpSize": 32,
            "max_num_regs": 65536,
            "sm_clock_rate": 1410000,
            "mem_clock_rate": 1215000,
            "mem_bus_width": 5120,
        }

    def load_binary(self, _name, binary, _shared, _device):
        return None, binary, 0, 0, 1024  # module, function, registers, spills, threads at most


class _Driver(DriverBase):

    def __init__(self, take):
        super().__init__()
        self.utils = _Utilities()
        self.launcher_cls = lambda source, metadata: _Launcher(take, source, metadata)

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        return GPUTarget("cuda", CAPABILITY[0] * 10 + CAPABILITY[1], 32)

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        raise NotImplementedError("there is nothing to measure")

    def get_current_device(self):
        return 0

    def get_current_stream(self, _device):
        return 0

    def set_current_device(self, _device):
        pass

    def get_device_capability(self, _device=0):
        return CAPABILITY


class _Launcher:
    """Called for each launch of one compiled kernel."""

    def __init__(self, take, source, metadata):
        self.take, self.source, self.metadata = take, source, metadata

    def __call__(self, x, y, z, _stream, function, _packed, _launch_metadata, _enter, _exit, *arguments):
        parameters = []  # (name, Triton's type, value) of what became a parameter of the entry
        for (name, kind), value in zip(self.source.signature.items(), arguments, strict=True):
            _flatten(name, kind, value, parameters)
        if x * y * z > 0:
            self.take(function.decode(), self.metadata, (x, y, z), parameters)


class _Nowhere(contextlib.nullcontext):
    """A device's or a stream's context."""

    idx = 0

    def __init__(self, *_):
        super().__init__()


def _flatten(name, kind, value, parameters):
    if isinstance(kind, (tuple, list)):
        for number, (one, part) in enumerate(zip(kind, value, strict=True)):
            _flatten(f"{name}.{number}", one, part, parameters)
    elif kind != "constexpr":
        parameters.append((name, kind, value))


def _tune_without_measuring():
    """Autotuners take the first configuration whose shared memory fits the device."""
    prune, run = Autotuner.prune_configs, Autotuner.run
    too_large = {}  # by autotuner

    def first_that_fits(tuner, *given):
        return [config for config in prune(tuner, *given) if config not in too_large.get(tuner, ())][:1]

    def run_first_that_fits(tuner, *given, **named):
        while True:
            try:
                return run(tuner, *given, **named)
            except OutOfResources:
                if len(tuner.configs) == len(too_large.get(tuner, ())) + 1:
                    raise
                too_large.setdefault(tuner, []).append(tuner.best_config)
                tuner.cache.clear()

    Autotuner.prune_configs, Autotuner.run = first_that_fits, run_first_that_fits


def install(take):
    """Hands every launch to take(ptx, metadata, grid, parameters). torch.cuda answers as a machine with one A100 would, and
    tensors of the CPU say that they are CUDA's."""
    CUDABackend.make_cubin = lambda _backend, source, *_: source.encode()  # the PTX itself is what is loaded
    triton.runtime.driver.set_active(_Driver(take))
    _tune_without_measuring()
    answers = {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": CAPABILITY,
        "get_device_name": PROPERTIES.name,
        "get_device_properties": PROPERTIES,
        "set_device": None,
        "synchronize": None,
        "is_bf16_supported": True,
        "is_initialized": True,
        "_lazy_init": None,
        "is_current_stream_capturing": False,
        "current_stream": types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None),
        "mem_get_info": (32 << 30, 40 << 30),
    }
    for name, value in answers.items():
        setattr(torch.cuda, name, lambda *_, value=value, **__: value)
    for name in ("device", "stream", "device_of"):
        setattr(torch.cuda, name, _Nowhere)
    torch._C._cuda_getCurrentRawStream = lambda _: 0
    torch.Tensor.is_cuda = property(lambda _: True)
