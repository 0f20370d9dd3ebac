// What somebody who waits for a change of memory looks at.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

// Who stored last, by a strong access, what somebody waits for, and what became of that thread.
struct LastWriter {
  enum class Now : u8 { Unknown, Ended, AtBarrier, ForItsWarp, Polls };
  Now now = Now::Unknown;  // Unknown: it is not known who it was
  u64 block = 0;           // linear number
  u32 thread = 0;          // of the block
  u64 polls = 0;           // of one that waits for a location itself: which
};

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
  LastWriter writer;
};

// A launch in which nobody can go on.
struct Stuck {
  // Of the thread that is reported, then of the one that stored last what it waits for, if that waits, too, and so on;
  // then of others. Empty: it is not known.
  std::vector<Polled> polled;
  u64 blocks = 0, ended = 0, not_begun = 0;
  u64 threads_at_barriers = 0;
};

}  // namespace ropewalk::machine
