#include "lib/machine/order/footprints.h"

#include <algorithm>

namespace ropewalk::machine::order {

namespace {

// Of the accesses by one instruction to a granule, and of the writes of one value, so many are compared with later
// ones.
constexpr u32 most_alike = 64;

u32 first_thread(const Footprint& now) { return now.warp * 32u + u32(__builtin_ctz(now.lanes)); }

}  // namespace

u32 unordered_lanes(const Footprint& earlier, const Footprint& now, const Clock* known) {
  u32 lanes = earlier.lanes, out = 0;
  if (const Observer& seen = earlier.seen; seen.time) {
    const bool is_own = seen.block == now.block && seen.thread == first_thread(now);
    if (is_own || (known && known->covers(seen.block, seen.thread, seen.time))) return 0;
  }
  if (earlier.block == now.block && earlier.warp == now.warp) lanes &= ~now.lanes;
  for (; lanes; lanes &= lanes - 1) {
    const u32 lane = u32(__builtin_ctz(lanes));
    if (!known || !known->covers(earlier.block, earlier.warp * 32u + lane, earlier.time)) out |= 1u << lane;
  }
  return out;
}

Footprint Footprints::Cell::write_before(const Footprint& now, const Clock* known) const {
  const auto is_known = [&](const Footprint& it) { return unordered_lanes(it, now, known) == 0; };
  return std::ranges::any_of(same, is_known) ? as_unchanged(write) : write;
}

bool Footprints::Cell::is_read_since(const Footprint& earlier, const Footprint& now, const Clock* known) const {
  return std::ranges::any_of(others, [&](const Footprint& it) {
    return it.reads && it.is_strong() && it.number > earlier.number && unordered_lanes(it, now, known) != it.lanes;
  });
}

void Footprints::Cell::settle() {
  if (seen_before == 0) return;
  for (Footprint& other : others) {
    if (other.touch == Touch::StrongWrite && other.number < seen_before) other.seen = seen;
  }
  seen_before = 0;
}

void Footprints::see(Cell& cell, const Footprint& now, bool agrees) {
  const Observer observer{now.block, first_thread(now), now.time};
  if (agrees) {
    cell.seen = observer;
    cell.seen_before = cell.noted;
    return;
  }
  for (Footprint& other : cell.others) {
    if (other.touch == Touch::StrongWrite && !conflict(other, now)) other.seen = observer;
  }
}

void Footprints::note(Cell& cell, const Footprint& now, bool agrees) {
  if (now.touch == Touch::WeakWrite) {
    const Footprint before = cell.write;
    const bool others_wrote = std::ranges::any_of(cell.others, &Footprint::writes);
    if (now.changes || others_wrote || !before.lanes) {
      cell.same.clear();
    } else if (cell.same.size() < most_alike) {
      if (cell.same.empty()) cell.same.push_back(before);
      cell.same.push_back(now);
    }
    const auto is_read = [](const Footprint& other) { return other.touch == Touch::WeakRead; };
    cell.write = now;
    cell.write.changes |= before.lanes && before.changes;
    cell.write.was_read = before.was_read || std::ranges::any_of(cell.others, is_read);
    cell.others.clear();
    cell.is_uniform = true;
    cell.seen_before = 0;
    return;
  }
  if (now.writes()) cell.same.clear();
  cell.is_uniform = agrees;
  Footprint noted = now;
  noted.number = cell.noted++;
  const auto is_alike = [&](const Footprint& other) {
    return other.touch == now.touch && other.warp == now.warp && other.block == now.block && other.scope == now.scope &&
           other.bytes == now.bytes;
  };
  const auto is_of_one = [&](const Footprint& other) {
    return other.time == now.time && other.step == now.step && !cell.is_seen(other);
  };
  const auto join = [&](Footprint& other) {
    other.lanes |= now.lanes;
    other.number = noted.number;
  };
  // As a rule the lanes of an instruction come one after the other.
  if (!cell.others.empty() && is_alike(cell.others.back()) && is_of_one(cell.others.back()))
    return join(cell.others.back());
  // Of many that say the same the first ones and the last ones are kept.
  u32 alike = 0, oldest = 0;  // the oldest of the last ones
  for (u32 n = 0; n < cell.others.size(); ++n) {
    Footprint& other = cell.others[n];
    if (other.touch != now.touch) continue;
    if (other.step == now.step) {
      ++alike;
      if (n >= most_alike / 2 && oldest == 0) oldest = n;
    }
    if (!is_alike(other)) continue;
    // A later access of the same lanes says all that the earlier one does.
    if ((other.lanes & ~now.lanes) == 0) {
      other = noted;
      return;
    }
    if (is_of_one(other)) return join(other);
  }
  if (alike >= most_alike && oldest) cell.others.erase(cell.others.begin() + oldest);
  cell.others.push_back(noted);
}

}  // namespace ropewalk::machine::order
