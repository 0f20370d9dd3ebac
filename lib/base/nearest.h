// The nearest known name to a misspelt one, for messages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

// Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`.
u64 edit_distance(std::string_view a, std::string_view b);
// Whether one may be the other, mistyped: at most a third of it differs, or two letters. Dashes in front say nothing.
bool is_near(std::string_view name, std::string_view known);
// The candidate with the smallest edit distance, the first of equals; empty where there are no candidates.
std::string nearest_of(std::string_view name, const std::vector<std::string>& candidates);
// What to tell about an unknown name: `did you mean "shape"?` where one is near, else `known are "a", "b"`.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace ropewalk
