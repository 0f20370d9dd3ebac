"""A rotary kernel by cuda.bindings: `wrong` has no mask for the last block."""
import numpy
from cuda.bindings import driver, nvrtc
from rotary_kernel import BLOCK, BLOCKS, COS, HALF, MASKED, ROWS, SIN, SOURCE, X, judge


def checked(result):
    error, *values = result
    if int(error):
        raise RuntimeError(str(error))
    return values[0] if len(values) == 1 else values


def compiled(major, minor):
    program = checked(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"rotary.cu", 0, [], []))
    checked(nvrtc.nvrtcCompileProgram(program, 2, [f"--gpu-architecture=compute_{major}{minor}".encode(), b"-lineinfo"]))
    text = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, text))
    return text


def copied(array):
    address = checked(driver.cuMemAlloc(array.nbytes))
    checked(driver.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes))
    return address


def forward(function):
    tensors = [copied(array) for array in (X, COS, SIN, numpy.zeros_like(X))]
    arguments = [numpy.array([int(tensor)], dtype=numpy.uint64) for tensor in tensors]
    arguments += [numpy.array([number], dtype=numpy.int32) for number in (ROWS, HALF, MASKED)]
    pointers = numpy.array([argument.ctypes.data for argument in arguments], dtype=numpy.uint64)
    checked(driver.cuLaunchKernel(function, BLOCKS, 1, 1, BLOCK, 1, 1, 0, 0, pointers.ctypes.data, 0))
    checked(driver.cuCtxSynchronize())
    out = numpy.empty_like(X)
    checked(driver.cuMemcpyDtoH(out.ctypes.data, tensors[3], out.nbytes))
    return out


checked(driver.cuInit(0))
device = checked(driver.cuDeviceGet(0))
context = checked(driver.cuDevicePrimaryCtxRetain(device))
checked(driver.cuCtxSetCurrent(context))
kinds = driver.CUdevice_attribute
major = checked(driver.cuDeviceGetAttribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
minor = checked(driver.cuDeviceGetAttribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
module = checked(driver.cuModuleLoadData(compiled(major, minor)))
judge(forward(checked(driver.cuModuleGetFunction(module, b"rotate"))))
