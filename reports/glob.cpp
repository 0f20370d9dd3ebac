#include "reports/glob.h"

#include <cstddef>

namespace ropewalk::reports {

bool glob_matches(std::string_view pattern, std::string_view text) {
  constexpr size_t none = size_t(-1);
  size_t at = 0, in_text = 0;
  size_t star = none, star_text = 0;  // where to go on when what stands after the last star does not fit
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_text = in_text;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in_text])) {
      ++at;
      ++in_text;
    } else if (star != none) {
      at = star + 1;
      in_text = ++star_text;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace ropewalk::reports
