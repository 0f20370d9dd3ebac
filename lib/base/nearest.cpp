#include "lib/base/nearest.h"

#include <algorithm>

namespace ropewalk {

u64 edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of optimal string alignment are enough.
  std::vector<u64> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool equal = a[i - 1] == b[j - 1];
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

bool is_near(std::string_view name, std::string_view known) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  known.remove_prefix(std::min(known.find_first_not_of('-'), known.size()));
  const u64 longer = std::max(name.size(), known.size());
  const u64 distance = edit_distance(name, known);
  return distance < known.size() && distance <= std::max<u64>(longer > 3 ? 2 : 1, longer / 3);
}

std::string nearest_of(std::string_view name, const std::vector<std::string>& candidates) {
  // A name longer than any key is cut: its tail says nothing, and the table grows with it.
  name = name.substr(0, 64);
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  };
  const auto found = std::min_element(candidates.begin(), candidates.end(), nearer);
  return found == candidates.end() ? std::string() : *found;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "none is known here";
  const std::string nearest = nearest_of(name, candidates);
  if (is_near(name.substr(0, 64), nearest)) return "did you mean \"" + nearest + "\"?";
  // Of a hundred names nobody reads the line.
  constexpr std::size_t most = 32, few = 8;
  const std::size_t count = candidates.size() > most ? few : candidates.size();
  std::string text = "known are ";
  for (std::size_t n = 0; n < count; ++n) text += (n == 0 ? "\"" : ", \"") + candidates[n] + "\"";
  if (count < candidates.size()) text += " and " + std::to_string(candidates.size() - count) + " others";
  return text;
}

}  // namespace ropewalk
