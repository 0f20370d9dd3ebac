// What an event acts on, for the files that say what events do.
#pragma once
#include <algorithm>

#include "lib/init/simulator.h"

namespace ropewalk::init {

struct Simulator::Scope {
  UnitState& unit;
  u32 number;  // of the rank, within the unit
  i16 event_number;
  const Event& event;

  RankState& rank() const { return unit.ranks[number]; }
  BufferState& buffer(u32 n) const { return unit.ranks[number].buffers[n]; }
};

// The event's buffers, frequencies first: a table may be computed from them.
inline std::vector<u32> in_order_of_need(const Plan& plan, const Event& event) {
  std::vector<u32> order = event.buffers;
  std::stable_partition(order.begin(), order.end(),
                        [&](u32 n) { return plan.buffers[n].form == BufferForm::Frequencies; });
  return order;
}

// The buffer gets memory of its own; what it had is freed.
inline void reallocate(BufferState& buffer, i16 event) {
  if (buffer.captured && buffer.freed_by < 0) buffer.freed_by = event;
  buffer.home = -1;
  buffer.past.clear();
}

}  // namespace ropewalk::init
