// Host code that follows a pointer to device memory ends by a signal, on a GPU as here. Before it does, it is a
// finding. So is a copy from or to memory of the host that is not there.
#pragma once
#include <cstddef>
#include <optional>

#include "lib/base/types.h"

namespace ropewalk::driver {

// Copies bytes as memmove does. Where that needs memory of the process that is not mapped, or must not be written: the
// offset of the first page of it; what lies before it is copied.
std::optional<u64> copy_or_fault(std::byte* to, const std::byte* from, u64 bytes);

// Looks at the accesses that end by SIGSEGV, from now on. The signal's action so far follows, and is in place again.
void watch_host_accesses();

}  // namespace ropewalk::driver
