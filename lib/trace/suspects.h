// Which launch an error is about.
#pragma once
#include <string>
#include <vector>

#include "lib/trace/trace.h"

namespace ropewalk::trace {

struct Suspects {
  std::vector<u32> launches;    // indices into Snapshot::launches, in the order of their calls
  bool older_possible = false;  // or one that is no longer kept
  std::string how;              // a sentence: how they were determined
  bool is_exact() const { return launches.size() == 1 && !older_possible; }
};

// A launch that was refused is the call itself. After a fault it is one of those that were not known to be complete: on
// a stream work is done in the order in which it was put there, the legacy default stream waits for the blocking ones
// and they for it, and what a stream waited for by an event is complete when the stream is further.
Suspects suspects_of(const Snapshot& snapshot, const TracedProcess& process);

// By launch of the snapshot: whether it is known to have been complete.
std::vector<bool> complete_launches(const Snapshot& snapshot);

}  // namespace ropewalk::trace
