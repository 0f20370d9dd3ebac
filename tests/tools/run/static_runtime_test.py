#!/usr/bin/env python3
"""rope-check run on programs and libraries with NVIDIA's runtime inside, as nvcc links it by default: they are checked like
those with the shared one (programs.cu, stream_programs.cu, linked_programs.cu, static_library.cu), unless they are stripped.

Usage: static_runtime_test.py ROOT PROGRAM
"""
import os
import subprocess
import sys

from running import Ran, build_of, finish, folder, read_lines, root

here = root / "tests/tools/run"
source, of_streams, of_library = here / "programs.cu", here / "stream_programs.cu", here / "static_library.cu"
for file in (source, of_library, here / "linked_other.cu"):
    read_lines(file)


def stripped(path):
    subprocess.run(["strip", path], check=True)
    return path


static = build_of(source, "static")
Ran([static], "add").is_clean(1, "right\n")
Ran([static], "add", "--leaks").is_clean(1)
Ran([static], "add-wrong").finds(("out-of-bounds-read", "read"), ("out-of-bounds-read", "read"), ("out-of-bounds-write", "write")).says(
    "launched at run_add_wrong()")
Ran([static], "leak", "--leaks").finds("memory-leak")
Ran([static], "threads").is_clean(80)
Ran([static], "fork").prints("right\n").says("out-of-bounds-write")
fixed = build_of(source, "fixed", "-Xcompiler", "-no-pie", "-Xlinker", "-no-pie")
Ran([fixed], "add").is_clean(1, "right\n")
Ran([fixed], "use-after-free").finds(("use-after-free", "scale"))

streams = build_of(of_streams, "streams")
of_threads = build_of(of_streams, "of-threads", "--default-stream", "per-thread")
for name in ("before-second-stream", "both-add"):
    Ran([streams], name).finds("stream-race")
    Ran([streams], name + "-right").finds(code=0)
Ran([of_threads], "thread-streams", "--devices", "2").finds("stream-race")
Ran([of_threads], "thread-streams-right", "--devices", "2").finds(code=0)

linked = build_of(here / "linked_programs.cu", "linked", "-rdc=true", here / "linked_other.cu")
Ran([linked], "right").is_clean(2, "9 32 64\n")
Ran([linked], "wrong").finds(("out-of-bounds-read", "scaled"))

# A library that has it inside, of a program with the shared one, and of one that loads it later.
library = build_of(of_library, "library.so", "-shared", "-Xcompiler", "-fPIC", "-DLIBRARY")
program = build_of(of_library, "program", "-cudart", "shared", library)
Ran([program], "").is_clean(2)
LOADS = f"""
import ctypes
library, cudart = ctypes.CDLL("{library}"), ctypes.CDLL("libcudart.so.13")
to, values = ctypes.c_void_p(), (ctypes.c_float * 32)()
assert cudart.cudaMalloc(ctypes.byref(to), 128) == 0
library.fill(to)
assert cudart.cudaMemcpy(values, to, 128, 2) == 0 and values[31] == 31
"""
Ran([sys.executable, "-S", "-c", LOADS], "").is_clean(1)

# Without symbols nothing says where its functions are: what its kernel would have written is not there.
stripped(library)
ran = Ran([program], "").finds(("uninitialized-read", "use"), code=3)
ran.says("not run: a call of library.so").says("do not strip it").says("warning[uninitialized-read]")
ran = Ran([stripped(static)], "add").says("not run: a call of static").says("do not strip it")
ran.expect(ran.code not in (0, 1), "counts as checked")

# Sanitizers in the program, and an allocator of its own.
for kind, options in (("address", "protect_shadow_gap=0:detect_leaks=0"), ("thread", "")):
    os.environ[kind[0].upper() + "SAN_OPTIONS"] = options
    sanitized = build_of(source, kind, "-Xcompiler", f"-fsanitize={kind}")
    Ran([sanitized], "add").is_clean(1, "right\n")
(folder / "allocator.cpp").write_text("""
#include <cstdlib>
#include <new>
void* operator new(std::size_t bytes) { return static_cast<char*>(std::malloc(bytes + 16)) + 16; }
void operator delete(void* at) noexcept { if (at) std::free(static_cast<char*>(at) - 16); }
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
""")
Ran([build_of(source, "allocates", folder / "allocator.cpp")], "add").is_clean(1, "right\n")

# Thread-local variables of a library that are there from the start.
(folder / "local.c").write_text("""
__thread char values[6000] __attribute__((tls_model("initial-exec")));
int set_value(void) { return values[7] = 3; }
""")
of_threads = folder / "liblocal.so"
subprocess.run(["gcc", "-shared", "-fPIC", "-o", of_threads, folder / "local.c"], check=True)
Ran([build_of(source, "local", "-Xlinker", "--no-as-needed", of_threads)], "add").is_clean(1, "right\n")

# NVIDIA's shared one, where the program has a folder of its own for it, is not taken: here it could not be.
elsewhere = folder / "elsewhere"
elsewhere.mkdir()
(elsewhere / "libcudart.so.13").write_text("no library")
of_folder = build_of(source, "of-folder", "-cudart", "shared", "-Xlinker", "--disable-new-dtags", "-Xlinker", "-rpath", "-Xlinker", elsewhere)
Ran([of_folder], "add").is_clean(1, "right\n")
LOADS_FROM = f"""
import ctypes
assert ctypes.CDLL("{elsewhere}/libcudart.so.13").cudaMalloc(ctypes.byref(ctypes.c_void_p()), 16) == 0
"""
Ran([sys.executable, "-S", "-c", LOADS_FROM], "--leaks").expect(True, "")

finish()
