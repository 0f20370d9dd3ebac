// What versions of the runtime differ in.
#pragma once

namespace ropewalk::driver::runtime {

// Writes cudaDeviceProp of the device, in the layout of version 13, 12 or 11: the last is the beginning of 12's, and
// what programs of version 12 meet as cudaGetDeviceProperties without _v2. The driver's answer.
int write_properties(void* to, int device, int version);

}  // namespace ropewalk::driver::runtime
