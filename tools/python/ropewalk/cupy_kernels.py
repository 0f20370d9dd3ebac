"""CuPy's kernels are compiled to PTX with the lines of the program that has their source, and its arrays are allocations of
their own, so that their ends are known."""

import functools

from . import source_files


def install():
    import cupy
    from cupy.cuda import compiler

    compiler._use_ptx = True
    # Their kernels came compiled for some devices, without PTX.
    cupy._core.set_reduction_accelerators([])
    cupy._core.set_routine_accelerators([])
    cupy.cuda.set_allocator(None)

    compile_module = compiler._compile_module_with_cache

    @functools.wraps(compile_module)
    def _compile_module_with_cache(source, options=(), *more, **named):
        if "-lineinfo" not in options and "--generate-line-info" not in options:
            options = (*options, "-lineinfo")
        return compile_module(source_files.located(source), options, *more, **named)

    compiler._compile_module_with_cache = _compile_module_with_cache
