#include "lib/finding/check.h"

#include "lib/base/error.h"
#include "lib/base/nearest.h"

namespace ropewalk {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Puts one word of the list into the set, or takes it out: "races", "-races", "all", "none".
void apply_word(std::string_view word, CheckSet& set) {
  const bool remove = !word.empty() && word.front() == '-';
  const std::string_view name = remove ? word.substr(1) : word;
  if (name == "all" || name == "none") {
    set = (name == "all") != remove ? CheckSet::all() : CheckSet();
    return;
  }
  for (Check check : all_checks()) {
    if (name_of(check) != name) continue;
    return remove ? set.remove(check) : set.add(check);
  }
  std::vector<std::string> known{ROPEWALK_CHECKS(RW_SPELLED) "all", "none"};
  throw InputError("unknown check \"" + std::string(name) + "\" in --checks, " + did_you_mean(name, known));
}

}  // namespace

std::string_view name_of(Check check) {
  static const std::vector<std::string> names{ROPEWALK_CHECKS(RW_SPELLED)};
  return names.at(size_t(check));
}

const std::vector<Check>& all_checks() {
  static const std::vector<Check> all{ROPEWALK_CHECKS(RW_CHECK)};
  return all;
}

CheckSet parse_checks(std::string_view text) {
  CheckSet set;
  std::string_view rest = text;
  for (bool first = true;; first = false) {
    const size_t comma = rest.find(',');
    const std::string_view word = trimmed(rest.substr(0, comma));
    if (word.empty()) {
      throw InputError("--checks is a list such as \"bounds,races\" or \"all,-races\", found an empty name in \"" +
                       std::string(text) + "\"");
    }
    // A list that begins by leaving something out leaves it out of everything.
    if (first && word.front() == '-') set = CheckSet::all();
    apply_word(word, set);
    if (comma == std::string_view::npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

std::string text_of(CheckSet set) {
  if (set == CheckSet::all()) return "all";
  std::string text;
  for (Check check : all_checks()) {
    if (set.has(check)) text += (text.empty() ? "" : ",") + std::string(name_of(check));
  }
  return text.empty() ? "none" : text;
}

}  // namespace ropewalk
