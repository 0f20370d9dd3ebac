"""The driver's context of a thread, which PyTorch makes current where it uses a device: the primary one of the current device."""

import ctypes
import threading

from . import devices

_of_thread = threading.local()  # .device: whose context was made current


def follow():
    """Before a call of the driver by this thread. A context of the program's own stays."""
    if not devices.has_begun() or devices.current() == getattr(_of_thread, "device", None):
        return
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuCtxGetCurrent(ctypes.byref(context))
    is_of_program = context.value is not None and not hasattr(_of_thread, "device")
    if not is_of_program and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), devices.current()) == 0:
        driver.cuCtxSetCurrent(context)
        _of_thread.device = devices.current()
