// Memory of other processes.
#include "lib/driver/runtime/call.h"

using namespace ropewalk::driver::runtime;
using ropewalk::u64;

namespace {

struct IpcHandle {  // cudaIpcMemHandle_t
  char bytes[64];
};

}  // namespace

extern "C" {
int cuIpcGetMemHandle(IpcHandle*, u64) __attribute__((weak));
int cuIpcOpenMemHandle_v2(u64*, IpcHandle, unsigned) __attribute__((weak));
int cuIpcCloseMemHandle(u64) __attribute__((weak));
}

ROPEWALK_RUNTIME(cudaIpcGetMemHandle, IpcHandle* handle, void* at) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuIpcGetMemHandle, handle, address_of(at)); });
}
ROPEWALK_RUNTIME(cudaIpcOpenMemHandle, void** to, IpcHandle handle, unsigned flags) {
  return run(__func__,
             [&] { return ROPEWALK_DRIVER(cuIpcOpenMemHandle_v2, reinterpret_cast<u64*>(to), handle, flags); });
}
ROPEWALK_RUNTIME(cudaIpcCloseMemHandle, void* at) {
  return run(__func__, [&] { return ROPEWALK_DRIVER(cuIpcCloseMemHandle, address_of(at)); });
}
