"""A program with nothing but Python: gathers rows of a table by the driver, the last id is past its end where "wrong" says so.
Usage: launch.py PTX right|wrong"""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        sys.exit(f"{name} answered {result}")


def on_device(values, kind):
    """The address of a copy."""
    host, address = (kind * len(values))(*values), ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(ctypes.sizeof(host)))
    call("cuMemcpyHtoD_v2", address, host, ctypes.c_size_t(ctypes.sizeof(host)))
    return address


context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"gather_rows_unguarded")
arguments = [on_device(range(8 * 16), ctypes.c_float), on_device([3, 0, 7, 8 if sys.argv[2] == "wrong" else 6], ctypes.c_int),
             on_device([0] * 4 * 16, ctypes.c_float), ctypes.c_int(16)]
addresses = (ctypes.c_void_p * 4)(*(ctypes.addressof(argument) for argument in arguments))
call("cuLaunchKernel", kernel, 4, 1, 1, 32, 1, 1, 0, None, addresses, None)
call("cuCtxSynchronize")
