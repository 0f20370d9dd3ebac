// What a program asks of a kernel before it launches it.
#pragma once
#include "lib/driver/kernel.h"
#include "lib/driver/result.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

// CUfunction_attribute, of those that kernels have here.
namespace function_attribute {
constexpr int most_threads = 0, shared_bytes = 1, constant_bytes = 2, local_bytes = 3, registers = 4, ptx_version = 5,
              binary_version = 6, cache_mode = 7, most_dynamic_shared = 8, shared_carveout = 9, last = 15;
}

// Threads that a block of it may have at the most.
u32 most_threads(const Kernel& kernel);

// Its value; InvalidValue where there is no such attribute.
Result function_attribute_of(Session& session, const Kernel& kernel, int attribute, int* value);
// The only one that matters is most_dynamic_shared; InvalidValue beyond what a block of the device can have.
Result set_function_attribute(Session& session, Kernel& kernel, int attribute, int value);

// Blocks of so many threads that one multiprocessor holds, by threads, blocks and shared memory; of registers as many
// as are needed are there.
u32 resident_blocks(Session& session, const Kernel& kernel, u32 threads, u64 dynamic_shared_bytes);

// The first limit of grid and block that no launch of the kernel may break, in words; "" where none is broken.
std::string limit_broken_by(const Kernel& kernel, const Dim3& grid, const Dim3& block);

// Why the device cannot hold all blocks at once, as a cooperative launch needs; "" where it can.
std::string residency_broken_by(Session& session, const Kernel& kernel, const Dim3& grid, const Dim3& block,
                                u64 dynamic_shared_bytes);

}  // namespace ropewalk::driver
