// Changes of a location after which it does not matter how often, and by how many at once, they are made: `*p = 1`,
// `*p |= 4`, `if (*p == 0) *p = 1`. Threads that all make one race for nothing.
#pragma once
#include <compare>
#include <map>
#include <string_view>

#include "lib/ptx/flow.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// What is done with what is there: an `or`, `and`, `min` or `max` with a constant; or a constant is stored there.
struct RepeatableChange {
  std::string_view opcode;  // of the module: "or.b32", "st.global.u32"
  i64 constant = 0;
  auto operator<=>(const RepeatableChange&) const = default;
};

// By instruction: the stores that make such a change, and the loads of what it is made of, if that is all that they are
// for.
using RepeatableChanges = std::map<u32, RepeatableChange>;
RepeatableChanges repeatable_changes(const Module& module, const Function& function, const Flow& flow);

}  // namespace ropewalk::ptx
