#include "lib/machine/order/clock.h"

#include <algorithm>

namespace ropewalk::machine::order {

namespace {

bool before(const std::pair<u64, u32>& entry, u64 key) { return entry.first < key; }

}  // namespace

void Clock::raise(Times& times, u64 key, u32 time) {
  const auto at = std::lower_bound(times.begin(), times.end(), key, before);
  if (at != times.end() && at->first == key)
    at->second = std::max(at->second, time);
  else
    times.insert(at, {key, time});
}

u32 Clock::time_of(const Times& times, u64 key) {
  const auto at = std::lower_bound(times.begin(), times.end(), key, before);
  return at != times.end() && at->first == key ? at->second : 0;
}

void Clock::join(Times& times, const Times& other) {
  if (other.empty()) return;
  if (times.empty()) {
    times = other;
    return;
  }
  Times both;
  both.reserve(times.size() + other.size());
  auto a = times.begin();
  for (const auto& entry : other) {
    while (a != times.end() && a->first < entry.first) both.push_back(*a++);
    if (a != times.end() && a->first == entry.first) {
      both.emplace_back(entry.first, std::max(a->second, entry.second));
      ++a;
    } else {
      both.push_back(entry);
    }
  }
  both.insert(both.end(), a, times.end());
  times = std::move(both);
}

void Clock::join(const Clock& other) {
  join(blocks_, other.blocks_);
  join(warps_, other.warps_);
  join(threads_, other.threads_);
}

void Clock::clear() {
  blocks_.clear();
  warps_.clear();
  threads_.clear();
}

}  // namespace ropewalk::machine::order
