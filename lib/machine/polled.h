// What somebody who waits for a change of memory looks at.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

// What a strong read of a lane found, in global or shared memory.
struct Polled {
  u32 step = 0xffffffffu;  // no_value: there was none
  u64 block = 0;           // linear number
  u32 thread = 0;          // of the block
  u32 window = 0;          // 0: shared memory
  i64 offset = 0;
  u32 bytes = 0;  // at most 8
  u64 bits = 0;
  u64 location = 0;        // see order::Order::note_write
  bool is_written = true;  // somebody may have stored there during the launch
};

// A launch in which nobody can go on.
struct Stuck {
  std::vector<Polled> polled;  // of the thread that is reported, then of others; empty: it is not known
  u64 blocks = 0, ended = 0, not_begun = 0;
  u64 threads_at_barriers = 0;
};

}  // namespace ropewalk::machine
