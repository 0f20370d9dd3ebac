// The machine's address space: windows far apart, so that an overrun never lands in a neighbour.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine {

constexpr u32 window_bits = 44;            // 16 TiB each
constexpr u64 window_lead = u64(1) << 42;  // room in front of what a window shows, for what runs before its start
constexpr u64 window_of(u64 address) { return address >> window_bits; }
// The first address of a window.
constexpr u64 generic_base(u64 window) { return window << window_bits; }

// Window 0 is empty (null pointers), then come the module's variables, then the tensors. These are the windows of the
// spaces that every block or thread has for itself, in generic addresses:
constexpr u64 shared_window = 0xff0, local_window = 0xff1, parameter_window = 0xff2;
constexpr u64 most_windows = shared_window;

}  // namespace ropewalk::machine
