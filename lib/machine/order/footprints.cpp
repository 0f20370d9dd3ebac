#include "lib/machine/order/footprints.h"

#include <algorithm>

namespace ropewalk::machine::order {

namespace {

// Of the accesses by one instruction to a granule so many are compared with later ones.
constexpr u32 most_alike = 64;

}  // namespace

u32 unordered_lanes(const Footprint& earlier, const Footprint& now, const Clock* known) {
  u32 lanes = earlier.lanes, out = 0;
  if (earlier.seen_time) {
    const bool is_own =
        earlier.seen_block == now.block && earlier.seen_thread == now.warp * 32u + u32(__builtin_ctz(now.lanes));
    if (is_own || (known && known->covers(earlier.seen_block, earlier.seen_thread, earlier.seen_time))) return 0;
  }
  if (earlier.block == now.block && earlier.warp == now.warp) lanes &= ~now.lanes;
  for (; lanes; lanes &= lanes - 1) {
    const u32 lane = u32(__builtin_ctz(lanes));
    if (!known || !known->covers(earlier.block, earlier.warp * 32u + lane, earlier.time)) out |= 1u << lane;
  }
  return out;
}

void Footprints::see(Cell& cell, const Footprint& now) {
  for (Footprint& other : cell.others) {
    if (other.touch != Touch::StrongWrite || conflict(other, now)) continue;
    other.seen_block = now.block;
    other.seen_thread = now.warp * 32u + u32(__builtin_ctz(now.lanes));
    other.seen_time = now.time;
  }
}

void Footprints::note(Cell& cell, const Footprint& now) {
  if (now.touch == Touch::WeakWrite) {
    const Footprint before = cell.write;
    const auto is_read = [](const Footprint& other) { return other.touch == Touch::WeakRead; };
    cell.write = now;
    cell.write.changes |= before.lanes && before.changes;
    cell.write.was_read = before.was_read || std::ranges::any_of(cell.others, is_read);
    cell.others.clear();
    return;
  }
  for (Footprint& other : cell.others) {
    if (other.block != now.block || other.warp != now.warp || other.touch != now.touch || other.scope != now.scope ||
        other.bytes != now.bytes) {
      continue;
    }
    // A later access of the same lanes says all that the earlier one does.
    if ((other.lanes & ~now.lanes) == 0) {
      other = now;
      return;
    }
    if (other.time == now.time && other.step == now.step && other.seen_time == 0) {
      other.lanes |= now.lanes;
      return;
    }
  }
  // Of many that say the same the first ones and the last ones are kept.
  const auto is_alike = [&](const Footprint& other) { return other.touch == now.touch && other.step == now.step; };
  if (cell.others.size() >= most_alike && u32(std::ranges::count_if(cell.others, is_alike)) >= most_alike) {
    const auto middle = cell.others.begin() + most_alike / 2;
    const auto oldest = std::find_if(middle, cell.others.end(), is_alike);
    if (oldest != cell.others.end()) cell.others.erase(oldest);
  }
  cell.others.push_back(now);
}

}  // namespace ropewalk::machine::order
