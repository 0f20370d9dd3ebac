// The machine's address space: windows far apart, so that an overrun never lands in a neighbour.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine {

constexpr u32 window_bits = 41;                     // 2 TiB each
constexpr u64 window_lead = u64(1) << 39;           // room before what a window shows, for what runs before its start
constexpr u64 most_window_bytes = 2 * window_lead;  // so that as much room is behind them
constexpr u64 window_of(u64 address) { return address >> window_bits; }
// The first address of a window.
constexpr u64 generic_base(u64 window) { return window << window_bits; }

// The first windows are never used: in them lie null pointers and the addresses of this process (47 bits), by which a
// kernel may know memory that lives longer than its launch. Then come the module's variables, what the driver gives a
// cooperative launch for its barrier of the whole grid (%envreg1 and %envreg2 hold its address), and the tensors.
constexpr u64 process_windows = u64(1) << (47 - window_bits);
constexpr u64 variable_window(u64 id) { return process_windows + id; }
constexpr u64 grid_workspace(u64 module_variables) {
  return generic_base(variable_window(module_variables)) + window_lead;
}
constexpr u64 grid_workspace_bytes = 64;  // its size (4 bytes), then a counter of those that came

// Tensors whose address outlives a launch (Resident) have windows from here on; all others come before or after them.
constexpr u64 first_resident_window = 4096;

// The windows of the spaces that every block or thread has for itself, in generic addresses.
constexpr u64 shared_window = 0x1fff0, local_window = 0x1fff1, parameter_window = 0x1fff2;
constexpr u64 most_windows = shared_window;

// The address of a function of the module. Its low bits are free: pointers to member functions keep a flag there.
constexpr u64 function_window = 0x1fff3;
constexpr u32 function_shift = 3;
constexpr u64 address_of_function(u32 id) { return generic_base(function_window) + (u64(id) << function_shift); }

}  // namespace ropewalk::machine
