"""torch.cuda's own compiler of CUDA C++ texts leaves them as PTX, with the lines of the program that has them."""

import functools

import torch

from .. import source_files


def install(patches):
    utilities = torch.cuda._utils
    library, compiled = getattr(utilities, "_get_gpu_rtc_library", None), getattr(utilities, "_nvrtc_compile", None)
    flags = getattr(utilities, "_get_gpu_rtc_compatible_flags", None)
    if library is None or compiled is None or flags is None:
        return

    @functools.wraps(library)
    def library_of_ptx():
        nvrtc = library()
        nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN = nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX
        return nvrtc

    @functools.wraps(compiled)
    def compile_located(kernel_source, *arguments, **options):
        return compiled(source_files.located(kernel_source), *arguments, **options)

    patches.set(utilities, "_get_gpu_rtc_library", library_of_ptx)
    patches.set(utilities, "_nvrtc_compile", compile_located)
    patches.set(utilities, "_get_gpu_rtc_compatible_flags", lambda: [*flags(), "-lineinfo"])
