#!/usr/bin/env python3
"""rope-check run, and what programs ask of the driver (driver_programs.cu): NAME does wrong what NAME-right does right.

Usage: driver_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, lines, read_lines, root

source = root / "tests/tools/run/driver_programs.cu"
read_lines(source)
program = build_of(source, "driver", "-cudart", "shared", "-lcuda", "-L/usr/local/cuda/lib64/stubs")


def run(name, *options):
    return Ran([program], name, *options)


run("many-allocations-right", "--leaks").is_clean(1, "0 failed, 0 crooked, 0\n")
run("many-allocations").finds(("out-of-bounds-write", "fill"))

# Host functions run beside the program, and what comes behind them waits.
run("host-function-waits-right").is_clean(1, "cudaErrorNotReady cudaErrorNotReady\n31 cudaSuccess\n")
# Whether the copy that waits is seen beside the kernel depends on who comes first; that the kernel came too early does not.
ran = run("host-function-waits")
ran.expect(ran.code == 1 and ("uninitialized-read", lines["copy"]) in ran.findings, f"finds {ran.findings}")
run("host-function-stays").finds(code=3).says("ended before a host function")

# Kernels that wait for the host, and for nobody.
ran = run("flag-right").finds(code=3).says("it waits for what the host writes to argument0")
ran.expect("hang" not in ran.output, "speaks of a hang")
run("flag").finds(("hang", "flag"))
ran = run("flag-of-stream-right").says("it waits for what another stream or the host writes to argument0")
ran.expect("hang" not in ran.output, "speaks of a hang")
run("flag-of-stream").finds(("hang", "lock"))

# What comes of a kernel that was not run is no error.
ran = run("lost").finds(("out-of-bounds-write", "made"), code=3).says("an earlier launch or library call was not run, and what")
ran.expect([one["severity"] for one in ran.report["findings"]] == ["warning"], "is an error")
# But for what a kernel does whatever was written.
ran = run("lost-beside").finds(("out-of-bounds-read", "by-index"), ("out-of-bounds-read", "too-many"), ("out-of-bounds-write", "too-many"))
severities = sorted(one["severity"] for one in ran.report["findings"])
ran.expect(severities == ["error", "error", "warning"], f"are {severities}")

# Values that streams write and wait for.
run("stream-value-right").is_clean(2, "0 0 7\n")
run("stream-value").finds("stream-race").prints("0 0 7\n")

# Pools have accesses of their own.
run("pool-of-peer-right", "--devices", "2").is_clean(1, "3\n")
run("pool-of-peer", "--devices", "2").finds(("illegal-address", "peer")).says("cudaMemPoolSetAccess gives it")

# Nodes of graphs are read, changed and ordered.
GRAPH = "2 nodes, 1 edges, 2 0\ncudaSuccess cudaSuccess\ncudaSuccess 1 1 cudaSuccess\ncudaSuccess cudaErrorInvalidValue 50529027\n"
run("graph-nodes-right").is_clean(1, GRAPH)
run("graph-nodes").finds(("out-of-bounds-read", "scale"), ("out-of-bounds-write", "scale")).prints(GRAPH)

# The cause is that of the launch, and names lines as the finding does.
run("missing-barrier-right").is_clean(1)
run("missing-barrier").finds(("shared-race", "turn")).says(
    f"what tests/tools/run/driver_programs.cu:{lines['tile']} writes is read at tests/tools/run/driver_programs.cu:{lines['turn']} "
    "without a barrier between  [missing-barrier]")

# Faults end the context, and for this process the device: a reset brings neither back. What failed finds nothing and leaks nothing.
for name, rule, error in (("null-store", "out-of-bounds-write", "cudaErrorIllegalAddress"),
                          ("crooked-store", "misaligned-access", "cudaErrorMisalignedAddress")):
    run(name, "--leaks").finds((rule, "store")).prints(
        "cudaSuccess" + 3 * f" {error}" + " cudaSuccess\ncudaErrorDevicesUnavailable\n").says(
        f"cudaDeviceSynchronize answered {error}")
    run(name, "--destroy-on-device-error", "kernel").finds(*{(rule, "store"), ("misaligned-access", "store")}).prints(
        "cudaSuccess cudaSuccess cudaSuccess cudaSuccess cudaSuccess\ncudaSuccess\n")
run("store-behind-end", "--leaks").finds(("out-of-bounds-write", "store")).prints("cudaSuccess\ncudaSuccess\n")
run("store-behind-end-right", "--leaks").is_clean(2, "cudaSuccess\ncudaSuccess\n")

# Devices that the program sees, in its order.
def devices(visible, name="devices"):
    given = [] if visible is None else [f"CUDA_VISIBLE_DEVICES={visible}"]
    return Ran(["env", "-u", "CUDA_VISIBLE_DEVICES", *given, program], name, "--devices", "3")


OUTSIDE = ("out-of-bounds-write", "store")
ALL = "0 cudaSuccess 3: 0 0000:01:00.0 0 1 0000:02:00.0 1 2 0000:03:00.0 2\ncudaSuccess\n"
LAST_AND_FIRST = "0 cudaSuccess 2: 2 0000:03:00.0 0 0 0000:01:00.0 1\ncudaSuccess\n"
NONE = "100 cudaErrorNoDevice -1:\ncudaErrorNoDevice\n"
devices(None).finds(OUTSIDE).prints(ALL)
devices("2,0").finds(OUTSIDE).prints(LAST_AND_FIRST)
devices("2,0,-1,1").finds(OUTSIDE).prints(LAST_AND_FIRST)
devices("GPU-726f7065-7761-6c6b-2d64-657669636502,GPU-726f7065-7761-6c6b-2d64-657669636500").finds(OUTSIDE).prints(LAST_AND_FIRST)
for none in ("", "-1", "3"):
    devices(none).prints(NONE)
devices("0,+0").prints("101 cudaErrorInvalidDevice -1:\ncudaErrorInvalidDevice\n")
devices(None, "chosen-device").finds(OUTSIDE).prints("0 cudaSuccess 1: 2 0000:03:00.0 0\ncudaSuccess\n")

# Both ways to a variable are one.
run("variable-right").is_clean(1)
run("variable").finds(("global-race", "by pointer"))

# Forks behind the first use of CUDA.
run("fork-behind-right").prints("cudaSuccess cudaSuccess\ncudaSuccess\n").finds(code=0)
run("fork-behind").prints("cudaErrorInitializationError cudaErrorInitializationError\ncudaSuccess\n").says(
    "cudaMalloc answered cudaErrorInitializationError")

finish()
