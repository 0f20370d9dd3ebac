// Patterns of names.
#pragma once
#include <string_view>

namespace ropewalk::reports {

// Whether the whole text fits the pattern, in which '*' stands for any characters (also none, also '/') and '?' for
// one; every other character stands for itself.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace ropewalk::reports
