"""libropewalk.so, called through its C interface (lib/driver/ropewalk.h)."""

import ctypes
import json
import os
import sys
import tempfile

INTERFACE = 1
_loaded = None


class Error(RuntimeError):
    """What the library says is wrong."""


def path():
    """In the package, as a wheel has it, or beside the package's folder (a build tree, an installation), or what
    ROPEWALK_LIBRARY names."""
    package = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(package, "lib", "libropewalk.so")
    beside = os.path.join(os.path.dirname(os.path.dirname(package)), "libropewalk.so")
    found = os.environ.get("ROPEWALK_LIBRARY") or (inside if os.path.exists(inside) else beside)
    if not os.path.exists(found):
        raise Error(f"there is no {found}; ROPEWALK_LIBRARY can name libropewalk.so, and a build tree has this package in "
                    "build/lib/python")
    return found


def load():
    global _loaded
    if _loaded is None:
        library = ctypes.CDLL(path())
        library.ropewalk_interface.restype = ctypes.c_int
        if library.ropewalk_interface() != INTERFACE:
            raise Error(f"{path()} has interface {library.ropewalk_interface()}, expected {INTERFACE}")
        pointer, text, out = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
        for name, result, arguments in (
            ("free", None, [pointer]),
            ("open", pointer, [text, text, out]),
            ("close", None, [pointer]),
            ("options", pointer, [pointer, out]),
            ("lend", pointer, [pointer, pointer, ctypes.c_uint64, pointer]),
            ("take_back", pointer, [pointer, pointer]),
            ("note_freed", pointer, [pointer, pointer, ctypes.c_uint64]),
            ("forget_freed", pointer, [pointer, pointer]),
            ("bytes_at", pointer, [pointer, ctypes.c_uint64, ctypes.c_uint64, out]),
            ("note_written", ctypes.c_int, [pointer, ctypes.c_uint64, pointer]),
            ("load", pointer, [pointer, ctypes.c_uint32, text, text, out]),
            ("unload", None, [pointer]),
            ("kernel", pointer, [pointer, text, out]),
            ("launch", pointer, [pointer, text, out]),
            ("frames_from", None, [pointer]),
            ("synchronize", None, [pointer]),
            ("note", None, [pointer, text, text]),
        ):
            function = getattr(library, f"ropewalk_{name}")
            function.restype, function.argtypes = result, arguments
        _loaded = library
    return _loaded


def _taken(address):
    """The text at an address that the library handed out, which it gets back."""
    value = ctypes.string_at(address).decode(errors="replace")
    _loaded.ropewalk_free(address)
    return value


def _expect(error):
    if error:
        raise Error(_taken(error))


class Module:
    """A loaded text of PTX. It is unloaded with this object."""

    def __init__(self, session, ptx, name, device=0):
        handle = ctypes.c_void_p()
        _expect(session.library.ropewalk_load(session.handle, device, ptx.encode(), name.encode(), ctypes.byref(handle)))
        self.handle, self.session = handle.value, session  # which must live as long

    def about(self, entry):
        """{"parameters": [...], "follows_pointers": ...}"""
        out = ctypes.c_void_p()
        _expect(self.session.library.ropewalk_kernel(self.handle, entry.encode(), ctypes.byref(out)))
        return json.loads(_taken(out.value))

    def launch(self, launch):
        """None, or {"result": ..., "findings": [...], ...}."""
        out = ctypes.c_void_p()
        _expect(self.session.library.ropewalk_launch(self.handle, json.dumps(launch).encode(), ctypes.byref(out)))
        return json.loads(_taken(out.value)) if out.value else None

    def note(self, text, key):
        """Adds a note to the report, once for each key."""
        self.library.ropewalk_note(self.handle, text.encode(), key.encode())

    def __del__(self):
        if getattr(self, "handle", None) and not sys.is_finalizing():
            self.session.library.ropewalk_unload(self.handle)


class Handle:
    """A session of the library; without options, the process's own. Its modules keep it."""

    def __init__(self, options=None):
        self.library, self.handle = load(), None
        if options is not None:
            handle = ctypes.c_void_p()
            self.folder = tempfile.TemporaryDirectory(prefix="ropewalk-")  # a record that nobody reads
            _expect(self.library.ropewalk_open(json.dumps(options).encode(), self.folder.name.encode(), ctypes.byref(handle)))
            self.handle = handle.value

    def options(self):
        out = ctypes.c_void_p()
        _expect(self.library.ropewalk_options(self.handle, ctypes.byref(out)))
        return json.loads(_taken(out.value))

    def visible_devices(self):
        """The numbers of those that the program sees now."""
        options = self.options()
        return options["visible"] or list(range(options["devices"]))

    def lend(self, address, size, written=None):
        _expect(self.library.ropewalk_lend(self.handle, address, size, written))

    def take_back(self, address):
        _expect(self.library.ropewalk_take_back(self.handle, address))

    def note_freed(self, address, size):
        _expect(self.library.ropewalk_note_freed(self.handle, address, size))

    def forget_freed(self, address):
        _expect(self.library.ropewalk_forget_freed(self.handle, address))

    def bytes_at(self, address, size):
        """Where memory of the driver's lies in this process."""
        out = ctypes.c_void_p()
        _expect(self.library.ropewalk_bytes_at(self.handle, address, size, ctypes.byref(out)))
        return out.value

    def synchronize(self):
        self.library.ropewalk_synchronize(self.handle)

    def note(self, text, key):
        """Adds a note to the report, once for each key."""
        self.library.ropewalk_note(self.handle, text.encode(), key.encode())

    def __del__(self):
        if getattr(self, "handle", None) and not sys.is_finalizing():
            self.library.ropewalk_close(self.handle)
            self.folder.cleanup()
