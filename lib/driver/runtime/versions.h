// What versions of the runtime differ in.
#pragma once

namespace ropewalk::driver::runtime {

// Writes cudaDeviceProp of the device, in the layout of version 13, 12 or 11: the last is the beginning of 12's, and
// what programs of version 12 meet as cudaGetDeviceProperties without _v2. The driver's answer.
int write_properties(void* to, int device, int version);

// What cudaRuntimeGetVersion tells.
extern const int runtime_version;

// The errors (cudaError_t) of mistakes that versions call by different names.
struct VersionErrors {
  int impossible_sizes;  // of a grid or a block, which no device takes
  int unknown_function;  // none that the program registered, and no handle of one
};
extern const VersionErrors version_errors;

}  // namespace ropewalk::driver::runtime
