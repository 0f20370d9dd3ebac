// The rule that tells bad orders from good ones, as a small predicate over which event comes before which.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::init {

// An order as positions: position[n] is where step n stands.
struct Judged {
  std::vector<u8> position;
  bool bad = false;
};

// Steps a and b: a comes before b.
struct Precedence {
  u8 first = 0, second = 0;
};

// Bad exactly when each precedence of one of the alternatives holds. Never: no alternative; always: an empty one.
struct SeparatingRule {
  std::vector<std::vector<Precedence>> alternatives;
};

// The smallest rule that fits every order, if one of at most three precedences in one alternative, or of two
// alternatives with at most two each, does. meaningful: whether it says something that one step comes before another;
// where neighbours commute, and only one of their orders is among these, it does not.
std::optional<SeparatingRule> separating_rule(const std::vector<Judged>& orders,
                                              const std::function<bool(u8, u8)>& meaningful);

}  // namespace ropewalk::init
