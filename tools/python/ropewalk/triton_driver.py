"""Triton's runtime on the virtual GPU: kernels are compiled to PTX for its target, and each launch goes to the session."""

import ctypes
import dataclasses
import hashlib
import struct
import sys
import weakref

import torch
import triton
from triton.backends import backends
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import ASTSource

from . import autotune, memory, session, stack
from .cuda import activation, devices, graphs, mode, streams
from .patches import Patches

_patches = Patches()
_before = []  # what stood for NVIDIA's backend
_BITS = {"i1": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "u1": 8, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
_DTYPES = {
    torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64", torch.int64: "i64",
    torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "u8"
}


class _Utilities:
    """What Triton asks of a driver before a launch."""

    def get_device_properties(self, _device):
        return {
            "max_shared_mem": devices.active.shared_bytes,
            "multiprocessor_count": devices.active.multiprocessors,
            "warpSize": 32,
            "max_num_regs": 65536,
            "sm_clock_rate": devices.active.clock_khz,
            "mem_clock_rate": devices.active.memory_clock_khz,
            "mem_bus_width": devices.active.bus_bits,
        }

    def load_binary(self, name, binary, _shared, _device):
        kernel = _Kernel(name, binary.decode())
        return kernel, kernel, 32, 0, 1024  # module, function, registers (as the driver says), spills, threads at most

    def unload_module(self, kernel):
        pass  # it goes with its object


class _Kernel:
    """An entry of a text of PTX, loaded once for each session and device."""

    def __init__(self, entry, ptx):
        self.entry, self.ptx, self.loaded = entry, ptx, weakref.WeakKeyDictionary()

    def of(self, where, device):
        """The module, and whether the kernel uses pointers that it finds in memory."""
        by_device = self.loaded.setdefault(where, {})
        if device not in by_device:
            module = where.load(self.ptx, self.entry, device)
            by_device[device] = module, module.about(self.entry)["follows_pointers"]
        return by_device[device]


class _Device(int):
    """The index of a device. Triton's functions keep what they compiled by it: another target is another device to them.
    A plain number, which programs look with, is the device of the target that is active."""

    def __init__(self, _index):
        self.capability = devices.active.capability

    def __eq__(self, other):
        return int(self) == other and getattr(other, "capability", devices.active.capability) == self.capability

    def __hash__(self):
        return hash(int(self))


class Driver(DriverBase):
    """Stands for triton.backends.nvidia.driver.CudaDriver."""

    def __init__(self):
        super().__init__()
        self.utils, self.launcher_cls = _Utilities(), _Launcher

    @classmethod
    def is_active(cls):
        return activation.is_active()

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        major, minor = devices.active.capability
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_active_torch_device(self):
        return torch.device("cuda", devices.current())

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        return autotune.once

    def get_current_device(self):
        return _Device(devices.current())

    def set_current_device(self, device):
        devices.set_current(device)

    def get_current_stream(self, device):
        return streams.current_stream(device).cuda_stream

    def get_device_capability(self, _device=0):
        return devices.active.capability

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1, dtype=torch.int32, device="cuda")

    def clear_cache(self, cache):
        pass


class _Launcher:
    """Called for each launch of one compiled kernel."""

    def __init__(self, source, metadata):
        self.metadata = metadata
        self.signature = list(source.signature.items())
        if getattr(metadata, "num_ctas", 1) != 1:
            raise NotImplementedError(f"{metadata.name}: clusters of blocks (num_ctas) are not there on the virtual GPU")

    def __call__(self, x, y, z, stream, kernel, _packed, launch_metadata, enter, leave, *arguments):
        if enter is not None:
            enter(launch_metadata)
        if x * y * z > 0:
            called_at = stack.of_program(sys._getframe(1))

            def launch():
                with mode.OwnWork(), torch._C.DisableTorchFunction():
                    self._launch((x, y, z), kernel, arguments, stream, called_at)

            if not graphs.keep_launch(launch):
                launch()
        if leave is not None:
            leave(launch_metadata)

    def _launch(self, grid, kernel, arguments, stream, called_at):
        where = session.current()
        described = []
        for (name, kind), value in zip(self.signature, arguments, strict=True):
            _describe(where, name, kind, value, described)
        scratch = self._scratch(grid, stream)
        for name, tensor in scratch:
            described.append({"name": name, "bits": memory.lend(where, tensor) if tensor is not None else 0})
        module, follows_pointers = kernel.of(where, devices.current())
        if follows_pointers:
            memory.lend_all(where)
        where.launch(module, {
            "entry": kernel.entry, "grid": grid, "block": (32 * self.metadata.num_warps, 1, 1),
            "shared": self.metadata.shared, "cooperative": getattr(self.metadata, "launch_cooperative_grid", False),
            "arguments": described, "stack": called_at
        })

    def _scratch(self, grid, stream):
        """Memory that Triton's own kernels ask for besides their arguments: of all blocks."""
        found = []
        for name in ("global_scratch", "profile_scratch"):
            size = getattr(self.metadata, f"{name}_size", 0) * grid[0] * grid[1] * grid[2]
            found.append((name, None))
            if size:
                found[-1] = name, torch.zeros(size, dtype=torch.int8, device="cpu")
                activation.marks.put(found[-1][1], devices.active.all[devices.current()])
        return found if any(tensor is not None for _, tensor in found) else []


def _describe(where, name, kind, value, described):
    """Appends what becomes a parameter of the entry. No mode is active."""
    if kind == "constexpr":
        return
    if isinstance(kind, (tuple, list)):
        for number, (one, part) in enumerate(zip(kind, value, strict=True)):
            _describe(where, f"{name}.{number}", one, part, described)
    elif kind.startswith("tensordesc"):
        _describe_descriptor(where, name, kind, value, described)
    elif kind.startswith("*"):
        described.append(_pointer(where, name, value))
    else:
        bits = _scalar(kind, value)
        if kind in ("i64", "u64"):
            memory.lend_at(where, bits)
        described.append({"name": name, "bits": bits})


def _pointer(where, name, value):
    value = value if isinstance(value, torch.Tensor) else getattr(value, "base", value)  # triton.reinterpret's
    if not isinstance(value, torch.Tensor):
        address = value.data_ptr() if hasattr(value, "data_ptr") else value or 0
        memory.lend_at(where, address)
        return {"name": name, "bits": address}
    mark = activation.marks.mark_of(value)
    is_reachable = mark is not None or value.untyped_storage().ropewalk_pinned is not None
    if not is_reachable and value.numel():
        raise ValueError(f"Pointer argument ({name}) cannot be accessed from Triton (cpu tensor?)")
    described = {"name": name, "bits": memory.lend(where, value) if is_reachable else value.data_ptr()}
    if value.dtype in _DTYPES and value.numel():
        described.update(dtype=_DTYPES[value.dtype], shape=tuple(value.shape), strides=value.stride())
        if mark is not None and mark.device.index != devices.current():
            described["device"] = mark.device.index
    return described


def _describe_descriptor(where, name, kind, value, described):
    """A tensor descriptor becomes its pointer, shape and strides, where the target has no hardware for it."""
    from triton.backends.driver import decompose_descriptor, expand_signature
    if devices.active.capability[0] >= 9:
        raise NotImplementedError(f"{name}: tensor maps of Triton are not there on the virtual GPU; use the target sm_80")
    for number, (one, part) in enumerate(zip(expand_signature([kind], None, "nvTmaDesc"), decompose_descriptor(value),
                                             strict=True)):
        _describe(where, name if number == 0 else f"{name}.{number}", one, part, described)


def _scalar(kind, value):
    """The bits of the parameter."""
    if kind in _BITS:
        return int(value) & ((1 << _BITS[kind]) - 1)
    if kind in ("fp64", "f64"):
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind == "fp16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", bytes(ctypes.c_float(value)))[0]  # what is too large becomes an infinity
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 if kind == "bf16" else bits


def _refuse_machine_code(_asm, key):
    if key == "sass":
        raise NotImplementedError('asm["sass"]: there is no machine code on the virtual GPU; asm["ptx"] is what it executes, and '
                                  'asm["cubin"] is the same')
    raise KeyError(f"Unknown key: '{key}'")


def _file_of(source):
    return getattr(getattr(getattr(source.fn, "fn", None), "__code__", None), "co_filename", "")


def install(all_configurations=False):
    """From here on Triton's active driver is this one. What it compiles is kept apart from what is compiled for GPUs."""
    compile_to_ptx = CUDABackend.add_stages

    def add_stages(backend, stages, *arguments, **options):
        compile_to_ptx(backend, stages, *arguments, **options)
        stages["cubin"] = lambda source, _metadata: source.encode()  # the PTX itself is what is loaded

    _patches.set(CUDABackend, "add_stages", add_stages)
    _patches.set(CUDABackend, "hash", lambda backend: f"ropewalk-1-{backend.target.arch}")
    _patches.set(triton.compiler.compiler.AsmDict, "__missing__", _refuse_machine_code)
    # What is dumped beside the PTX (TRITON_KERNEL_DUMP).
    _patches.set_known(triton.compiler.compiler, "get_sass", lambda _binary: "// no machine code: compiled for the virtual GPU\n")
    own_hash = ASTSource.hash
    # The lines in what is compiled are those of a file, which Triton's key leaves out.
    _patches.set(ASTSource, "hash",
                 lambda source: hashlib.sha256(f"{own_hash(source)}-{_file_of(source)}".encode()).hexdigest())
    _before.append(backends["nvidia"])
    backends["nvidia"] = dataclasses.replace(backends["nvidia"], driver=Driver)
    autotune.install(_patches, all_configurations)
    triton.runtime.driver.set_active(Driver())


def uninstall():
    """Everything is as it was."""
    _patches.restore()
    backends["nvidia"] = _before.pop()
    for name in ("_active", "_default"):  # reset_active() would ask for a GPU at once
        setattr(triton.runtime.driver, name, None)
