"""Tensors to files: safetensors where that package is, else .npy, which needs no package."""
import json
import os
import struct

import torch

try:
    from safetensors.torch import save_file
except ImportError:
    save_file = None

NPY_DTYPES = {torch.float16: "<f2", torch.float32: "<f4", torch.float64: "<f8", torch.complex64: "<c8"}


def write_npy(path, tensor):
    """Format 1.0 of NumPy's NEP 1. bfloat16, which .npy does not have, is widened to float32."""
    if tensor.dtype not in NPY_DTYPES:
        tensor = tensor.float()
    header = f"{{'descr': '{NPY_DTYPES[tensor.dtype]}', 'fortran_order': False, 'shape': {tuple(tensor.shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1"))
        file.write(bytes(tensor.contiguous().view(torch.uint8).flatten().tolist()))


def write_tensors(folder, stem, tensors, about):
    """Tensors on the CPU, by name, and what is known of them. The paths that were written."""
    os.makedirs(folder, exist_ok=True)
    if save_file is not None:
        path = os.path.join(folder, stem + ".safetensors")
        save_file(tensors, path, {"ropewalk": json.dumps(about)})
        return [path]
    paths = []
    for name, tensor in tensors.items():
        paths.append(os.path.join(folder, f"{stem}.{name}.npy"))
        write_npy(paths[-1], tensor)
    with open(os.path.join(folder, stem + ".json"), "w") as file:
        json.dump(about, file, indent=1)
    return paths
