#include "lib/driver/clock.h"

#include <algorithm>

namespace ropewalk::driver {

u64 Clock::at(u32 line) const {
  const auto known = std::ranges::lower_bound(counts_, line, {}, &Moment::line);
  return known != counts_.end() && known->line == line ? known->count : 0;
}

void Clock::set(Moment moment) {
  const auto known = std::ranges::lower_bound(counts_, moment.line, {}, &Moment::line);
  if (known != counts_.end() && known->line == moment.line)
    known->count = std::max(known->count, moment.count);
  else
    counts_.insert(known, moment);
}

void Clock::join(const Clock& other) {
  for (const Moment& moment : other.counts_) set(moment);
}

}  // namespace ropewalk::driver
