// Copies in the driver's words.
#pragma once
#include "lib/driver/runtime/driver_calls.h"
#include "lib/driver/runtime/types.h"

namespace ropewalk::driver::runtime {

// Not there where it is one of arrays, which is reported as `name`.
int rows_of(const char* name, const Copy3D* copy, DriverCopy3D* rows);

}  // namespace ropewalk::driver::runtime
