// The parameters of rotary problems and their values, for each form that a kernel may have.
#pragma once
#include <vector>

#include "lib/base/random.h"
#include "lib/generate/parts_of.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

using RotaryParameter = generate::ParameterOf<RotaryProblem>;

// What a kernel is asked for: to rotate x, to rotate q and k in place, or to build cos and sin.
enum class RotaryTask : u8 { Apply, Keys, Cache };

std::vector<RotaryParameter> rotary_parameters(RotaryTask task);

}  // namespace ropewalk::rotary
