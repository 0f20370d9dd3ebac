// Copies in the driver's words.
#pragma once
#include "lib/driver/runtime/driver_calls.h"
#include "lib/driver/runtime/types.h"

namespace ropewalk::driver::runtime {

// Not there where it is one of arrays, which is reported as `name`.
int rows_of(const char* name, const Copy3D* copy, DriverCopy3D* rows);

// cudaMemcpyBatchAsync. failed: where CUDA 12 wants the number of the copy that failed; null: nowhere.
int copy_batch(void* const* to, void* const* from, const std::size_t* bytes, std::size_t count, const void* attributes,
               const std::size_t* first, std::size_t kinds, std::size_t* failed, void* stream);
// cudaMemcpy3DBatchAsync, in the same way.
int copy_batch_3d(std::size_t count, const void* copies, std::size_t* failed, ropewalk::u64 flags, void* stream);

}  // namespace ropewalk::driver::runtime
