"""Where in the program a launch is made."""

import os

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_UNITTEST = os.path.join(os.path.dirname(os.__file__), "unittest") + os.sep
# Packages whose frames say nothing of the program.
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("triton", "torch", "numba", "numba_cuda", "cupy", f"cuda{os.sep}core",
                                                          f"cuda{os.sep}bindings", "pytest", "_pytest", "pluggy", "importlib",
                                                          "runpy.py"))
MOST = 40  # frames


def of_program(frame):
    """Frames of the program from this one outwards, innermost first: "function (file:line)"."""
    found = []
    while frame is not None and len(found) < MOST:
        code = frame.f_code
        if not _is_left_out(code.co_filename):
            found.append(f"{getattr(code, 'co_qualname', code.co_name)} ({code.co_filename}:{frame.f_lineno})")
        frame = frame.f_back
    return found


_left_out = {}


def _is_left_out(file):
    known = _left_out.get(file)
    if known is None:
        known = _left_out[file] = file.startswith((_OWN, _UNITTEST, "<")) or any(part in file for part in _LIBRARIES)
    return known
