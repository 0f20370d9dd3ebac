// What libcudart.so.12 has of its own.
#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/versions.h"

using namespace ropewalk::driver::runtime;

ROPEWALK_RUNTIME(cudaRuntimeGetVersion, int* version) {
  *version = 12090;
  return remember(success);
}

ROPEWALK_RUNTIME(cudaGetDeviceProperties, void* to, int device) {
  return run(__func__, [&] { return write_properties(to, device, 11); });
}

ROPEWALK_RUNTIME(cudaGetDeviceProperties_v2, void* to, int device) {
  return run("cudaGetDeviceProperties", [&] { return write_properties(to, device, 12); });
}
