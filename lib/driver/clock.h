// Vector clocks: which operations have surely been done when another one begins.
#pragma once
#include <utility>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::driver {

// One operation of a line of them, in which each is done after the one before: the first has count 1.
struct Moment {
  u32 line = 0;
  u64 count = 0;
  bool operator==(const Moment&) const = default;
};

// How many operations of each line have been done.
class Clock {
 public:
  bool has(Moment moment) const { return at(moment.line) >= moment.count; }
  u64 at(u32 line) const;
  void set(Moment moment);
  // Whatever the other one knows to be done, this one does, too.
  void join(const Clock& other);

 private:
  std::vector<Moment> counts_;  // by line, sorted
};

}  // namespace ropewalk::driver
