"""One launch of a wrapper: its memory and arguments become a launch file, rope-check runs it, and what it wrote is put
back into the wrapper's tensors."""

import collections
import json
import os
import shutil
import subprocess
import time

import numpy
import torch

DTYPES = {
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float64: "f64",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}
SCALARS = {
    "i1": "i8",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "u8": "u8",
    "u16": "u16",
    "u32": "u32",
    "u64": "u64",
    "fp32": "f32",
    "fp16": "f16",
    "bf16": "bf16",
    "fp64": "f64",
}
FRESH = 0xFF  # bytes of memory that torch.empty gave and nobody has written: NaN in every floating-point type

Launched = collections.namedtuple("Launched", "folder entry findings seconds")


def poison_fresh_memory():
    """torch.empty gives memory that can be told from what was written."""
    for owner, names in (
        (torch, ("empty", "empty_like", "empty_strided")),
        (torch.Tensor, ("new_empty", "new_empty_strided")),
    ):
        for name in names:
            setattr(owner, name, _poisoning(getattr(owner, name)))


def _poisoning(function):
    def poisoned(*arguments, **options):
        tensor = function(*arguments, **options)
        if tensor.device.type == "cpu" and tensor.numel():
            bytes_of(tensor.untyped_storage()).fill_(FRESH)
        return tensor

    return poisoned


def bytes_of(storage):
    return torch.tensor([], dtype=torch.uint8).set_(storage)


class Launches:
    """All launches of a run, each in a folder of its own."""

    def __init__(self, rope_check, folder):
        self.rope_check, self.folder = rope_check, folder
        self.made = []
        self.case = "none"  # whose launches these are
        self.not_all_written = {}  # entry: parameters of fresh memory that a launch does not fill, by design

    def take(self, ptx, metadata, grid, parameters):
        entry = metadata.name
        folder = os.path.join(self.folder, f"{self.case}-{len(self.made):03}-{entry[:60]}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        launch, storages = self._describe(metadata, grid, parameters, folder)
        with open(os.path.join(folder, "kernel.ptx"), "w") as file:
            file.write(ptx)
        with open(os.path.join(folder, "launch.json"), "w") as file:
            json.dump(launch, file, indent=1)
        self._run(folder, entry, storages)

    def _describe(self, metadata, grid, parameters, folder):
        tensors, storages, arguments = {}, {}, []
        for name, kind, value in parameters:
            if not kind.startswith("*"):
                arguments.append({SCALARS[kind]: number(value)})
                continue
            storage = value.untyped_storage()
            known = next((one for one, (other, _) in storages.items() if other.data_ptr() == storage.data_ptr()), None)
            if known is None:
                known = name
                storages[name] = (storage, value.dtype)
                tensors[name] = self._tensor(metadata.name, name, value, folder)
            dtype = storages[known][1]
            if dtype.itemsize != value.dtype.itemsize:
                raise NotImplementedError(f"{name} and {known} are one storage of {value.dtype} and {dtype}")
            argument = {"tensor": known}
            if value.storage_offset():
                argument["offset_elements"] = value.storage_offset()
            arguments.append(argument)
        return {
            "schema": "ropewalk.launch/1",
            "ptx": "kernel.ptx",
            "entry": metadata.name,
            "grid": list(grid),
            "block": [32 * metadata.num_warps, 1, 1],
            "dynamic_shared_bytes": metadata.shared,
            "target": "sm_80",
            "tensors": tensors,
            "args": arguments,
        }, storages

    def _tensor(self, entry, name, value, folder):
        """The whole storage is the tensor: its extent is what may be touched. Its shape is the view's where that is all
        of it."""
        storage = value.untyped_storage()
        count = storage.nbytes() // value.dtype.itemsize
        whole = value.is_contiguous() and value.numel() == count and value.dim() > 0
        shape = list(value.shape) if whole else [count]
        described = {"dtype": DTYPES[value.dtype], "shape": shape, "output": True}
        memory = bytes_of(storage)
        if bool((memory == FRESH).all()) and name not in self.not_all_written.get(entry, ()):
            return described
        flat = torch.tensor([], dtype=value.dtype).set_(storage).reshape(shape)
        values = flat.float() if value.dtype in (torch.bfloat16, torch.float16) else flat
        numpy.save(os.path.join(folder, name + ".npy"), values.numpy())
        return {**described, "init": {"file": name + ".npy"}}

    def _run(self, folder, entry, storages):
        report, out = os.path.join(folder, "report.json"), os.path.join(folder, "out")
        os.makedirs(out)
        started = time.monotonic()
        done = subprocess.run(
            [
                self.rope_check,
                "launch",
                os.path.join(folder, "launch.json"),
                "--save-outputs",
                out,
                "--report",
                report,
                "--color",
                "never",
            ],
            capture_output=True,
            text=True,
        )
        seconds = time.monotonic() - started
        if done.returncode not in (0, 1):
            raise AssertionError(f"{folder}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report) as file:
            findings = json.load(file)["findings"]
        for name, (storage, dtype) in storages.items():
            got = torch.from_numpy(numpy.load(os.path.join(out, name + ".npy"))).reshape(-1)
            torch.tensor([], dtype=dtype).set_(storage).copy_(got)
        self.made.append(Launched(folder, entry, findings, seconds))
        if not findings:
            shutil.rmtree(folder)


def number(value):
    """As JSON has it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"inf": "inf", "-inf": "-inf"}.get(str(value), "nan")
    return value
