// The parameters of rotary problems and their values, for each form that a kernel may have.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/problem/rotary.h"

namespace ropewalk {

// What a kernel is asked for: to rotate x, to rotate q and k in place, or to build cos and sin.
enum class RotaryTask : u8 { Apply, Keys, Cache };

struct RotaryParameter {
  std::string name;
  std::vector<std::string> values;  // [0] is the plainest
  // Sets the value with that number, or draws one. Parameters are set in their order.
  std::function<void(RotaryProblem&, u32 value, Random&)> set;
  // A kernel may have no entry for some of its values; its contract is asked about them.
  bool optional = false;
};

std::vector<RotaryParameter> rotary_parameters(RotaryTask task);

}  // namespace ropewalk
