"""Numba's kernels stay PTX: its linker would make machine code of them, which the virtual GPU has no use for."""

import functools


def install():
    from cuda.core import ObjectCode
    from numba.cuda.codegen import CUDACodeLibrary

    linked = CUDACodeLibrary.get_cubin

    @functools.wraps(linked)
    def get_cubin(self, cc=None):
        cc = self._ensure_cc(cc)
        if cc in self._cubin_cache:
            return self._cubin_cache[cc]
        if self._lto:
            text = self.get_lto_ptx(cc=cc)
        elif self._linking_files or self.needs_cudadevrt:
            return linked(self, cc)
        else:
            text = self.get_asm_str(cc=cc)
        self._cubin_cache[cc] = ObjectCode.from_ptx(text.encode(), name=self._name)
        self._linkerinfo_cache[cc] = ""
        return self._cubin_cache[cc]

    CUDACodeLibrary.get_cubin = get_cubin
