#include "lib/machine/undefined_stores.h"

#include <algorithm>

namespace ropewalk::machine {

namespace {

constexpr std::size_t most_loose_ranges = std::size_t(1) << 20;

}  // namespace

void UndefinedStores::begin_block() {
  for (auto& [key, stored] : stored_) stored.reported.clear();
}

UndefinedStores::Stored& UndefinedStores::add(u32 window, u32 step, u64 first, u64 last) {
  Stored& stored = stored_[{window, step}];
  if (!stored.ranges.empty() && stored.ranges.back().second == first) {
    stored.ranges.back().second = last;
    return stored;
  }
  if (stored.ranges.size() == stored.ranges.capacity() && stored.ranges.size() >= most_loose_ranges) stored.tidy();
  stored.ranges.emplace_back(first, last);
  return stored;
}

void UndefinedStores::merge(UndefinedStores&& other) {
  for (auto& [key, theirs] : other.stored_) {
    Stored& mine = stored_[key];
    mine.found.merge(std::move(theirs.found));
    mine.is_computed |= theirs.is_computed;
    mine.ranges.insert(mine.ranges.end(), theirs.ranges.begin(), theirs.ranges.end());
  }
  for (auto& [window, theirs] : other.bits_) bits_[window].merge(theirs);
}

void UndefinedStores::keep_bits(u32 window, u64 byte, u8 bits) {
  if (bits != 0xff)
    bits_[window][byte] = bits;
  else if (const auto known = bits_.find(window); known != bits_.end())
    known->second.erase(byte);
}

void UndefinedStores::Stored::tidy() {
  std::sort(ranges.begin(), ranges.end());
  std::size_t kept = 0;
  for (const auto& range : ranges) {
    if (kept && range.first <= ranges[kept - 1].second)
      ranges[kept - 1].second = std::max(ranges[kept - 1].second, range.second);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

void UndefinedStores::tidy() {
  for (auto& [key, stored] : stored_) stored.tidy();
}

}  // namespace ropewalk::machine
