// The machine's address space: windows far apart, so that an overrun never lands in a neighbour.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine {

constexpr u32 window_bits = 44;            // 16 TiB each
constexpr u64 window_lead = u64(1) << 42;  // room before what a window shows, for what runs before its start
constexpr u64 window_of(u64 address) { return address >> window_bits; }
// The first address of a window.
constexpr u64 generic_base(u64 window) { return window << window_bits; }
constexpr u64 grid_workspace(u64 module_variables) { return generic_base(1 + module_variables) + window_lead; }
constexpr u64 grid_workspace_bytes = 64;  // its size (4 bytes), then a counter of those that came

// Window 0 is empty (null pointers), then come the module's variables, what the driver gives a cooperative launch for
// its barrier of the whole grid (%envreg1 and %envreg2 hold its address), and the tensors. These are the windows of the
// spaces that every block or thread has for itself, in generic addresses:
constexpr u64 shared_window = 0xff0, local_window = 0xff1, parameter_window = 0xff2;
constexpr u64 most_windows = shared_window;

// The address of a function of the module. Its low bits are free: pointers to member functions keep a flag there.
constexpr u64 function_window = 0xff3;
constexpr u32 function_shift = 3;
constexpr u64 address_of_function(u32 id) { return generic_base(function_window) + (u64(id) << function_shift); }

}  // namespace ropewalk::machine
