// A problem of any kind, for those who pass problems on and know none of them.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "lib/problem/attention.h"
#include "lib/problem/rotary.h"

namespace ropewalk {

using Problem = std::variant<RotaryProblem, AttentionProblem>;

// "rotary" or "attention": the name before the bracket of the problem's text.
std::string_view kind_of(const Problem& problem);
std::string text_of(const Problem& problem);
// Reads the text of a problem of any kind. Throws InputError that names the nearest known kind or key.
Problem parse_problem(std::string_view text);
// The seed of the problem's inputs.
u64 seed_of(const Problem& problem);

}  // namespace ropewalk
