// Host code that follows a pointer to device memory ends by a signal, on a GPU as here. Before it does, it is a
// finding. So is a copy from or to memory of the host that is not there.
#pragma once
#include <cstddef>
#include <optional>

#include "lib/base/types.h"

namespace ropewalk::driver {

// What a copy needs of the process's memory and is not mapped, or must not be written.
struct CopyFault {
  u64 offset = 0;  // of the first page of it
  bool is_read = false;
};
// Copies bytes as memmove does, up to the first that it cannot copy.
std::optional<CopyFault> copy_or_fault(std::byte* to, const std::byte* from, u64 bytes);

// Looks at the accesses that end by SIGSEGV, from now on. The signal's action so far follows, and is in place again.
void watch_host_accesses();

}  // namespace ropewalk::driver
