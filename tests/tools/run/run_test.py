#!/usr/bin/env python3
"""rope-check run on programs that nvcc builds with the shared runtime (programs.cu, stream_programs.cu,
dependent_programs.cu, refused_programs.cu): what each right and wrong one comes to. A finding is
expected at the line that ends with the comment "at:WORD".

Usage: run_test.py ROOT PROGRAM
"""
import json
import pathlib
import signal
import subprocess
import sys

from running import Ran, bad, build_of, finish, folder, lines as LINES, read_lines, root, rope_check

source = root / "tests/tools/run/programs.cu"
read_lines(source)


def build(name, *options, of=source):
    return build_of(of, name, *options)


shared = build("programs", "-cudart", "shared")
WRONG_ADD = [("out-of-bounds-read", "read"), ("out-of-bounds-read", "read"), ("out-of-bounds-write", "write")]


def run(name, *options):
    return Ran([shared], name, *options)


run("add").is_clean(1, "right\n").says("clean    1 launch checked")
run("add-wrong").finds(*WRONG_ADD).says("launched at run_add_wrong()").says(f"replay   {pathlib.Path(rope_check).name} run")
run("use-after-free").finds(("use-after-free", "scale")).says("was freed by cudaFree at run_use_after_free()")
run("double-free").finds("double-free").says("was freed already, by cudaFree, in run_double_free()")
run("uninitialized").finds(("uninitialized-read", "scale"))
run("copied-uninitialized").finds(("uninitialized-read", "scale"))
run("padded-structs").is_clean(10)
run("shared-memory-not-allowed").finds("launch-limit").says("launched in run_shared_memory_not_allowed()")
run("shared-memory-allowed").is_clean(1)
run("copy-past-symbol").finds("out-of-bounds-write").says("in run_copy_past_symbol()")
run("structs-without-a-member").finds(*5 * [("uninitialized-read", "copy")])
run("copy-past-end").finds("out-of-bounds-read", "out-of-bounds-write").says("4 more than there are, in run_copy_past_end()")
run("misaligned").finds(("misaligned-access", "misalign"))
run("misaligned-outside").finds(("out-of-bounds-write", "misalign"))
run("misaligned", "--checks", "bounds").finds(("out-of-bounds-write", "misalign"))
run("printf").is_clean(1, "thread 0 of 3\nthread 1 of 3\nthread 2 of 3\nbehind\n")
run("assert").finds(("device-assert", "claim")).prints("cudaErrorAssert\ncudaErrorAssert\n").says(
    f"programs.cu:{LINES['claim']}: void claim(const int *): block: [0,0,0], thread: [0,0,0] Assertion `x[threadIdx.x] == 0` failed.")
run("exit-early").finds(*WRONG_ADD).says("the program ended with exit code 7")
run("crash").finds(*WRONG_ADD).says("died of signal 6")
run("fork").finds(*WRONG_ADD).prints("right\n").expect(True, "")
# Ends that tell nothing: what was launched before is in the record.
run("exit-at-once").is_clean(1, "")
run("fork-exit-at-once").is_clean(1, "")
run("exit-at-once", "--leaks").says("did not tell its end, nor what it leaked")
run("threads").is_clean(80)
run("leak").is_clean(1).says("no kernel was launched; 2 copies, fills and frees were checked")
run("leak", "--leaks").finds("memory-leak").says("4000 bytes are not freed when the process ends, of filled(float)")
run("add", "--leaks").is_clean(1)
run("out-of-memory", "--memory", "512M").is_clean(1, "cudaErrorMemoryAllocation\nright\n")
run("symbols").is_clean(2)
run("pitched").is_clean(1).says("no kernel was launched; ")
run("streams").is_clean(4)
run("pointers").is_clean(1)
run("properties", "--devices", "2", "--target", "sm_90", "--memory", "1G").finds(("launch-limit", "add")).prints(
    "2 devices of sm_90, 1024 MiB\n")
run("missing").finds(code=3).prints("cudaErrorNotSupported\nright\n").says(
    'not run: cudaMallocArray\n    is not there and was answered with "not')
run("missing-query").is_clean(1, "cudaErrorNotSupported\nright\n").says('cudaArrayGetInfo is not there and was answered with "not')
run("not-known").finds(code=3).says("malloc is called, and kernels have no heap here")
run("written-by-kernel").is_clean(2)
run("written-by-kernel", "--launch-skip", "1").is_clean(1)
run("written-by-kernel", "--sample-blocks", "1").finds(code=8).says("4 of 8 blocks were run")
run("nothing").finds(code=3).says("the program did not use the virtual GPU")

# Version 12 of the runtime has its own layout of cudaDeviceProp: capability at 360, multiprocessors at 388, 1,032 bytes.
LAYOUT_OF_12 = """
import ctypes
cudart = ctypes.CDLL("libcudart.so.12")
version, count, properties = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(b"x" * 1040, 1040)
assert cudart.cudaRuntimeGetVersion(ctypes.byref(version)) == 0 and version.value // 1000 == 12
assert cudart.cudaGetDeviceProperties_v2(properties, 0) == 0
assert cudart.cudaDeviceGetAttribute(ctypes.byref(count), 16, 0) == 0
number = lambda at: int.from_bytes(properties.raw[at : at + 4], "little")
assert (number(360), number(364), number(388)) == (9, 0, count.value), [number(at) for at in (360, 364, 388)]
assert properties.raw[1024:] == bytes(8) + b"x" * 8
print("right")
"""
Ran([sys.executable, "-S", "-c", LAYOUT_OF_12], "", "--target", "sm_90").finds(code=3).prints("right\n").says(
    "no kernel was launched")

# Options.
run("add-wrong", "--error-exitcode", "42").finds(*WRONG_ADD, code=42)
run("add", "--error-exitcode", "42").is_clean(1)
run("add-wrong", "--checks", "all,-bounds").is_clean(1)
run("add-wrong", "--kernel-name", "scale").finds(code=3).says("none of its 1 launches was to be checked")
run("add-wrong", "--kernel-name", "kernel_substring=unguarded").finds(*WRONG_ADD)
run("threads", "--launch-skip", "30", "--launch-count", "20").is_clean(20).says("60 of 80 launches ran unchecked")
run("fork", "--launch-skip", "1").finds(code=3)
first = folder / "first.json"
Ran([shared], "add-wrong", "--save", first)
run("add-wrong", "--baseline", first).expect(True, "").says("known")

# Processes with ranks: one finding says whose it is.
def ranked(first, second):
    launch = "RANK={0} WORLD_SIZE=2 \"$0\" {1} & "
    words = ["sh", "-c", launch.format(0, first) + launch.format(1, second) + "wait", shared]
    return Ran(words, "").expect(True, "")


def ranks(ran):
    return [finding["occurrences"].get("ranks") for finding in ran.report["findings"]]


ranked("add", "add").is_clean(2)
ran = ranked("add", "add-wrong").finds(*WRONG_ADD).says("rank     1\n")
ran.expect(ranks(ran) == [[1]] * 3, f"ranks {ranks(ran)}")
ran = ranked("add-wrong", "add-wrong").finds(*WRONG_ADD).says("ranks    0, 1\n")
ran.expect(ranks(ran) == [[0, 1]] * 3, f"ranks {ranks(ran)}")
ran = run("add-wrong").finds(*WRONG_ADD)
ran.expect(ranks(ran) == [None] * 3, f"ranks {ranks(ran)}")


# A captured launch shows the same again, also where memory leads to memory.
def captured(name, *options):
    into = folder / f"captured-{name}"
    ran = run(name, "--capture", into, *options)
    return ran, sorted(into.glob("*.json")) if into.exists() else []


def shows(path, *findings):
    report = folder / "again.json"
    done = subprocess.run([rope_check, "launch", path, "--report", report], capture_output=True, text=True, cwd=root)
    again = json.loads(report.read_text())
    found = sorted((f["rule"], f["location"]["line"], f["message"]) for f in again["findings"])
    if found != sorted(findings) or done.returncode != bool(findings):
        bad.append(f"{path.name}: shows {found}, not {findings}\n{done.stdout}{done.stderr}")


for name, rule, line in (("rows-wrong", "out-of-bounds-read", "row"), ("rows-unwritten", "uninitialized-read", "row"),
                         ("uninitialized", "uninitialized-read", "scale"), ("use-after-free", "use-after-free", "scale")):
    ran, files = captured(name)
    ran.finds((rule, line)).expect(len(files) == 1, f"captures {files}").says(f"replay   rope-check launch {files[0]}")
    shows(files[0], *((f["rule"], f["location"]["line"], f["message"]) for f in ran.report["findings"]))
ran, files = captured("rows")
ran.is_clean(1, "right\n").expect(files == [], f"captures {files}")
ran, files = captured("rows", "--capture-all")
ran.is_clean(1, "right\n").expect(len(files) == 1, f"captures {files}")
shows(files[0])
ran, files = captured("threads", "--capture-all", "--launch-count", "3")
ran.is_clean(3).expect(len(files) == 3, f"captures {files}")
for path in files:
    shows(path)

# The program's own end is the command's, where nothing is found.
for words, code in ((["sh", "-c", "exit 5"], 5), (["sh", "-c", "kill -9 $$"], 128 + signal.SIGKILL)):
    Ran(words, "").expect(True, "").finds(code=code)
ran = Ran(["/no/such/program"], "")
ran.expect(ran.code == 2 and "cannot be run: No such file" in ran.errors, "is not refused")

# Streams. Each program by what it lacks: how many findings, and words of one.
STREAMS = {
    "wait-for-event": (1, "kernel copy in stream 2 (non-blocking) reads allocation 1 (4096 bytes, cudaMalloc), which kernel fill in "
                          "stream 1 (non-blocking) writes, and neither waits for the other"),
    "event-before-work": (1, "they meet at bytes 0 to 4095 of allocation 1"),
    "wait-on-other-stream": (1, "copy was launched at copy_on(CUstream_st*, float const*, float*)"),
    "wait-over-others": (1, "fill was launched at fill_on(CUstream_st*, float*)"),
    "synchronize-stream": (1, "called by synchronize_stream(bool)"),
    "default-stream": (1, "kernel copy in the default stream reads"),
    "memset-is-no-wait": (1, "cudaMemset in the default stream writes"),
    "memset-async": (1, "cudaMemsetAsync in stream 2 (non-blocking) writes"),
    "copy-of-device": (2, "cudaMemcpy in the default stream reads"),
    "host-buffer": (1, "cudaMemcpyAsync in stream 2 (non-blocking) reads allocation 3 (4096 bytes, cudaHostAlloc), which "
                       "cudaMemcpyAsync in stream 1 (non-blocking) writes"),
    "host-buffer-is-used-again": (1, "writes allocation 3 (4096 bytes, cudaHostAlloc)"),
    "free-in-other-stream": (2, "cudaFreeAsync in stream 2 (non-blocking) frees"),
    "made-in-other-stream": (1, "which cudaMallocAsync in stream 1 (non-blocking) makes"),
    "graph-branches": (1, "in branch 2 of a graph in the default stream"),
    "captured": (1, "fill was put into the graph at fill_on(CUstream_st*, float*)"),
    "graph-and-stream": (1, "kernel copy in stream 2 (non-blocking) reads"),
    "host-function": (1, "kernel copy in stream 2 (non-blocking) reads"),
    "peer-copy": (2, "cudaMemcpyPeerAsync in stream 2 (non-blocking) reads"),
    "graph-with-host-node": (1, "the node of cudaGraphAddMemcpyNode in branch 2 of a graph in stream"),
    "add-and-fill": (1, "kernel fill in stream 2 (non-blocking) writes"),
    "constants": (1, "cudaMemcpyToSymbolAsync in stream 2 (non-blocking) writes the variable factors"),
    "before-second-stream": (1, "which kernel fill in the default stream writes"),
    "thread-streams": (1, "kernel copy in the default stream of thread 2 of device 0 reads"),
    "both-add": (1, "kernel fill in stream 2 (non-blocking) writes"),
    "ring": (1, "cudaMemcpyAsync in stream 1 (non-blocking) writes"),
}
two_streams = source.parent / "stream_programs.cu"
streams = build("streams", "-cudart", "shared", of=two_streams)
for name, (count, text) in STREAMS.items():
    devices = ("--devices", "2") if name in ("peer-copy", "thread-streams") else ()
    Ran([streams], name, *devices).finds(*count * ["stream-race"]).says(text)
    Ran([streams], name + "-right", *devices).finds(code=0)
for name in ("pageable", "freed-at-once", "halves", "interleaved", "both-read", "one-stream", "null-streams", "threads-in-turn"):
    Ran([streams], name).finds(code=0)
Ran([streams], "copy-between-devices", "--devices", "2").finds(code=0)
for_a_debugger = build("streams-to-debug", "-cudart", "shared", "-G", of=two_streams)
Ran([for_a_debugger], "add-and-fill").finds("stream-race")
Ran([for_a_debugger], "add-and-fill-right").finds(code=0)
Ran([streams], "wait-for-event", "--checks", "all,-races").finds(code=0)
ran = Ran([streams], "wait-for-event", "--capture", folder / "captured-race").finds("stream-race").says("no launch is captured for it")
ran.expect(not (folder / "captured-race").exists(), "captures a launch for a race of two operations")
Ran([streams], "captured-without-join").prints("cudaErrorStreamCaptureUnjoined\n")
Ran([streams], "captured-without-join-right").prints("cudaSuccess\n")
of_threads = build("of-threads", "-cudart", "shared", "--default-stream", "per-thread", of=two_streams)
# A kernel that may begin before the one that it follows ends (programmatic dependent launch).
dependent_source = source.parent / "dependent_programs.cu"
dependent = build_of(dependent_source, "dependent", "-cudart", "shared", architecture="sm_90")
Ran([dependent], "does-not-wait", "--target", "sm_90").finds("stream-race").says("griddepcontrol.wait")
# What is inlined from the toolkit's header is no place in the program.
with_lines = build_of(dependent_source, "dependent-with-lines", "-cudart", "shared", "-g", "-O2", architecture="sm_90")
launched = next(n for n, line in enumerate(dependent_source.read_text().split("\n"), 1) if "cudaLaunchKernelEx" in line)
ran = Ran([with_lines], "does-not-wait", "--target", "sm_90").says(f"({dependent_source}:{launched})")
ran.expect("cuda_runtime.h" not in ran.errors, "names a header of the toolkit as a place")
for name in ("waits", "to-the-end", "not-allowed", "host-waits"):
    Ran([dependent], name, "--target", "sm_90").is_clean(2, "256\n")
Ran([dependent], "other-memory", "--target", "sm_90").is_clean(2, "1\n")
Ran([dependent], "third", "--target", "sm_90").is_clean(3, "256\n")
# What it touches before it waits; also of the kernel before the one before, where that lets it begin before it waits.
for name in ("reads-early", "writes-early", "chain", "chain-by-call"):
    ran = Ran([dependent], name, "--target", "sm_90").finds("stream-race")
    ran.says("before it waits for the end of that kernel").says("touches these bytes before it waits (griddepcontrol.wait")
for name in ("triggers", "waits-never"):
    Ran([dependent], name, "--target", "sm_90").finds("stream-race").says("and it does not wait (griddepcontrol.wait")
for name in ("loads-weights-early", "one-waits", "hands-over", "triggers-never", "waits-by-flag"):
    Ran([dependent], name, "--target", "sm_90").is_clean(2, "256\n")
Ran([dependent], "event", "--target", "sm_90").prints("cudaErrorNotSupported\n").says("a programmatic event")
Ran([dependent], "ordered-chain", "--target", "sm_90").is_clean(3, "511\n")

Ran([of_threads], "null-streams").finds("stream-race").says("in the default stream of thread 2 reads")
Ran([of_threads], "null-streams-right").finds(code=0)
Ran([of_threads], "threads-in-turn").finds("stream-race").says("in the default stream of thread 2 writes")
Ran([of_threads], "threads-in-turn-right").finds(code=0)

# What CUDA refuses: each program by what it finds and prints, and what the right one prints.
LIMIT, OK = "launch-limit", "cudaSuccess\n"
UNSUPPORTED, INVALIDATED = "cudaErrorStreamCaptureUnsupported\n", "cudaErrorStreamCaptureInvalidated\n"
REFUSED = {
    "cooperative": ([LIMIT], "cudaErrorCooperativeLaunchTooLarge\n", OK),
    "cooperative-attribute": ([LIMIT], "cudaErrorCooperativeLaunchTooLarge\n", OK),
    "grid-barrier": (["device-assert"], OK + "cudaErrorLaunchFailure\n", 2 * OK),
    "sizes": (4 * [LIMIT], 4 * "cudaErrorInvalidValue\n", 4 * OK),
    "shared-sum": ([LIMIT], OK + "cudaErrorInvalidValue\n", 2 * OK),
    "modules": ([], """\
200 200 59 PTX of the program is neither PTX, a fat binary nor a cubin
218 218 54 PTX of the program:5:1: PTX has no instruction "bogus"
218 218 73 PTX of the program:5:1: "%r1" is no register here and no special register
218 218 57 PTX of the program:4:23: expected ".param" of a parameter
218 218 53 PTX of the program is for sm_120, the device is sm_80
""", 5 * "0 0 0 \n"),
    "linked": ([], "218 PTX of the program:\n", "0 nothing\n"),
    "captured-wait": ([], 2 * UNSUPPORTED + 2 * INVALIDATED + "2 no graph\n", 2 * OK + "1 graph\n"),
    "captured-device-wait": ([], UNSUPPORTED + 2 * INVALIDATED + "2 no graph\n", 2 * OK + "1 graph\n"),
    "captured-event-wait": ([], "cudaErrorCapturedEvent\n" + 2 * INVALIDATED + "2 no graph\n", 2 * OK + "1 graph\n"),
    "captured-copy": ([], "cudaErrorStreamCaptureImplicit\n" + 2 * INVALIDATED + "2 no graph\n", 3 * OK + "1 graph\n"),
    "captured-malloc": ([], UNSUPPORTED + 2 * INVALIDATED + "2 no graph\n", 3 * OK + "1 graph\n"),
    "graph-memory": (["uninitialized-read", "use-after-free"], "cudaErrorInvalidValue\n" + 2 * OK, 2 * OK),
    "graph-memory-kept": ([], "cudaErrorInvalidValue\n", OK),
    "stream-of-other-device": (["launch-failed"], 2 * "cudaErrorInvalidResourceHandle\n", 2 * OK),
    "rows-moved-up": (["overlapping-copy"], "", ""),
    "columns": (["overlapping-copy"], "", ""),
    "destroyed-stream": (["launch-failed"], "cudaErrorInvalidResourceHandle\n", OK),
    "call-in-host-function": ([], "cudaErrorNotPermitted\n", OK),
}
refusing = build("refused", "-cudart", "shared", "-lcuda", "-L/usr/local/cuda/lib64/stubs",
                 of=source.parent / "refused_programs.cu")
# Where the program has lines, each is at its own.
ran = Ran([build("refused-lines", "-g", "-cudart", "shared", "-lcuda", "-L/usr/local/cuda/lib64/stubs", of=source.parent / "refused_programs.cu")],
          "sizes")
ran.expect(len({line for rule, line in ran.findings if line}) == 4, f"finds {ran.findings}")
for name, (findings, printed, printed_right) in REFUSED.items():
    devices = ("--devices", "2") if "device" in name else ()
    ran = Ran([refusing], name, *devices).prints(printed)
    ran.expect([rule for rule, line in ran.findings] == findings, f"finds {ran.findings}, not {findings}")
    if name == "modules":
        ran.says('cuModuleLoadDataEx answered CUDA_ERROR_INVALID_PTX (PTX of the program:5:1: PTX has no instruction "bogus")')
    Ran([refusing], name + "-right", *devices).finds(code=0).prints(printed_right)

# Device code of several sources is linked.
one = build("one", "-cudart", "shared", "-rdc=true")
Ran([one], "add").is_clean(1, "right\n")
other = root / "tests/tools/run/linked_other.cu"
read_lines(other)
linked = build_of(root / "tests/tools/run/linked_programs.cu", "linked", "-cudart", "shared", "-rdc=true", other)
Ran([linked], "right").is_clean(2, "9 32 64\n")
Ran([linked], "wrong").finds(("out-of-bounds-read", "scaled"))

# A library with NVIDIA's runtime inside asks for the driver's private tables, as CuPy's does.
ASKS_FOR_TABLES = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuGetExportTable(ctypes.byref(ctypes.c_void_p()), bytes(16)) == 801
"""
Ran([sys.executable, "-S", "-c", ASKS_FOR_TABLES], "").finds(code=3).says("NVIDIA's own runtime takes no other driver")

# NVIDIA's libraries have it inside. What is called to compute is not run; a question for a version, and what happens when
# the library is loaded, is nothing that computes.
library = folder / "libcublas.so.13"
(folder / "library.c").write_text("""
int cuGetExportTable(const void**, const void*);
static int ask(void) { const void* table; return cuGetExportTable(&table, "0123456789abcdef") == 801; }
__attribute__((constructor)) static void when_loaded(void) { ask(); }
int cublasGetVersion_v2(void) { return ask(); }
int cublasCreate_v2(void) { return ask(); }
""")
virtual = pathlib.Path(rope_check).resolve().parent.parent / "lib/virtual"
subprocess.run(["gcc", "-shared", "-fPIC", "-O0", "-Wl,-soname,libcublas.so.13", "-o", library, folder / "library.c",
                virtual / "libcuda.so.1", "-Wl,--allow-shlib-undefined"], check=True)
CALLS = f"""
import ctypes
library, cudart = ctypes.CDLL("{library}"), ctypes.CDLL("libcudart.so.13")
to = ctypes.c_void_p()
assert cudart.cudaMalloc(ctypes.byref(to), 16) == 0 and cudart.cudaMemset(to, 0, 16) == 0
assert library.{{}}() == 1
"""
Ran([sys.executable, "-S", "-c", CALLS.format("cublasGetVersion_v2")], "").is_clean(1)
Ran([sys.executable, "-S", "-c", CALLS.format("cublasCreate_v2")], "").finds(code=3).says(
    "not run: cublasCreate_v2 of libcublas.so.13")

finish()
