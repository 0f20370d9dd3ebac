"""CuPy's kernels are compiled to PTX with the lines of the program that has their source, and its arrays are allocations of
their own, so that their ends are known."""

import functools
import linecache
import os
import sys


def _files_of_program():
    """Those of the callers, and the modules that are not installed."""
    frame, seen = sys._getframe(3), []
    while frame is not None:
        seen.append(frame.f_code.co_filename)
        frame = frame.f_back
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    installed = (sys.prefix + os.sep, sys.base_prefix + os.sep)
    seen += [path for path in modules if path and path.endswith(".py") and not path.startswith(installed)]
    return dict.fromkeys(seen)


def _file_with(source):
    """The file that has the source as it is written there, once, and the line where it begins."""
    for path in _files_of_program():
        text = "".join(linecache.getlines(path))
        if text.count(source) == 1:
            return os.path.abspath(path), text[:text.index(source)].count("\n") + 1
    return None


def _located(source):
    found = _file_with(source) if source.strip() else None
    if found is None:
        return source
    path, line = found
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{escaped}"\n{source}'


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
        return compile_module(_located(source), options, *more, **named)

    compiler._compile_module_with_cache = _compile_module_with_cache
