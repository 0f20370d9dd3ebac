// What the runtime keeps: the devices that threads chose, and what programs registered before they began.
#pragma once
#include <cstddef>
#include <string>

#include "lib/base/types.h"
#include "lib/driver/runtime/types.h"

namespace ropewalk::driver::runtime {

// The device of this thread.
int& current_device();
// The context of the device, or null.
void* context_of(int device);
// Everything of the device is gone: its context and its modules.
void forget(int device);

// A kernel by what the program knows it by: the address of its stub, or a handle (cudaKernel_t). The driver's function
// for the thread's device goes to `function`.
int find_function(const void* symbol, void** function);
// The other way round; the driver's function itself where no program registered it.
const void* symbol_of(const void* function);
// The name in PTX of that kernel; empty: there is none.
std::string name_of_function(const void* symbol);
// The handle of a kernel by its stub; null: there is none.
const void* handle_of(const void* symbol);
// A variable by the address of its shadow on the host.
int find_variable(const void* symbol, u64* address, std::size_t* bytes);

}  // namespace ropewalk::driver::runtime
