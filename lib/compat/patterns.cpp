#include "lib/compat/patterns.h"

#include <algorithm>
#include <array>
#include <regex>

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using Kind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

constexpr size_t longest_text = 24;  // patterns may try all ways to share a text out
constexpr size_t longest_pattern = 200;

// The same pattern as the standard library reads it, and its groups' names.
struct Pattern {
  std::string text;
  std::vector<std::string> names;  // by group, the first is group 1; empty: it has none
};

bool is_quantifier(char letter) { return letter == '*' || letter == '+' || letter == '?' || letter == '}'; }

// What both read alike; nullopt: something else.
std::optional<Pattern> translated(const std::string& pattern) {
  static constexpr std::string_view escapes = "dDsSwW.+*?()[]{}|^$\\-_/";
  Pattern out;
  bool in_class = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const char letter = pattern[at];
    const bool has_next = at + 1 < pattern.size();
    if (u8(letter) >= 128 || letter == '\n') return std::nullopt;
    if (letter == '\\') {
      if (!has_next || escapes.find(pattern[at + 1]) == escapes.npos) return std::nullopt;
      const char escaped = pattern[++at];
      if (escaped == '_') return std::nullopt;
      out.text += escaped == '-' && !in_class ? "-" : std::string{'\\', escaped};
      continue;
    }
    if (in_class) {
      if (letter == '[') return std::nullopt;
      in_class = letter != ']';
    } else if (letter == '[') {
      in_class = true;
      const size_t first = at + 1 + (has_next && pattern[at + 1] == '^');
      if (first < pattern.size() && pattern[first] == ']') return std::nullopt;
    } else if (is_quantifier(letter) && has_next && (pattern[at + 1] == '+' || pattern[at + 1] == '*')) {
      return std::nullopt;
    } else if (letter == '(') {
      std::string name;
      if (pattern.compare(at, 4, "(?P<") == 0) {
        const size_t end = pattern.find('>', at);
        if (end == pattern.npos) return std::nullopt;
        name = pattern.substr(at + 4, end - at - 4);
        at = end;
      } else if (has_next && pattern[at + 1] == '?') {
        if (pattern.compare(at, 3, "(?:") != 0) return std::nullopt;
        out.text += "(?:";
        at += 2;
        continue;
      }
      out.names.push_back(name);
    }
    out.text += letter;
  }
  return in_class ? std::nullopt : std::optional(std::move(out));
}

Constant group_of(const std::smatch& found, size_t group) {
  return found[group].matched ? Constant::of_text(found[group].str()) : Constant{};
}

// The groups, the whole first, and those that have names.
Constant match_of(const std::smatch& found, const Pattern& pattern) {
  std::vector<Constant> groups;
  std::vector<std::pair<Constant, Constant>> named;
  for (size_t group = 0; group < found.size(); ++group) {
    groups.push_back(group_of(found, group));
    if (group > 0 && !pattern.names[group - 1].empty())
      named.emplace_back(Constant::of_text(pattern.names[group - 1]), groups.back());
  }
  Constant match{Kind::Match};
  match.items = {Constant::of_items(std::move(groups)), Constant::of_mapping(named)};
  return match;
}

Constant all_of(const std::regex& expression, const std::string& text) {
  std::vector<Constant> all;
  for (auto one = std::sregex_iterator(text.begin(), text.end(), expression); one != std::sregex_iterator(); ++one) {
    std::vector<Constant> groups;
    for (size_t group = one->size() == 1 ? 0 : 1; group < one->size(); ++group)
      groups.push_back(Constant::of_text((*one)[group].str()));
    all.push_back(groups.size() == 1 ? groups[0] : Constant::of_items(std::move(groups)));
  }
  return Constant::of_items(std::move(all));
}

const Constant* group_at(const Constant& match, const Constant& which) {
  if (which.kind == Kind::Text) return match.items[1].value_of(which);
  const std::vector<Constant>& groups = match.items[0].items;
  const bool is_there = which.kind == Kind::Number && which.number >= 0 && which.number < i64(groups.size());
  return is_there ? &groups[size_t(which.number)] : nullptr;
}

}  // namespace

bool is_matching(const std::string& function) {
  static constexpr std::array names = {"match", "search", "fullmatch", "findall"};
  return std::ranges::find(names, function) != names.end();
}

Result matched(const std::string& function, const std::string& pattern, const std::string& text) {
  if (text.size() > longest_text || pattern.size() > longest_pattern || text.find('\n') != text.npos)
    return std::nullopt;
  const std::optional<Pattern> known = translated(pattern);
  if (!known) return std::nullopt;
  try {
    const std::regex expression(known->text);
    if (expression.mark_count() != known->names.size()) return std::nullopt;
    if (function == "findall") return all_of(expression, text);
    std::smatch found;
    const auto flags =
        function == "match" ? std::regex_constants::match_continuous : std::regex_constants::match_default;
    const bool is_found = function == "fullmatch" ? std::regex_match(text, found, expression)
                                                  : std::regex_search(text, found, expression, flags);
    return is_found ? match_of(found, *known) : Constant{};
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

Result match_method(const Constant& match, const std::string& method, const std::vector<Constant>& given) {
  const std::vector<Constant>& groups = match.items[0].items;
  if (method == "groups" && given.empty()) return Constant::of_items({groups.begin() + 1, groups.end()});
  if (method == "groupdict" && given.empty()) return match.items[1];
  if (method != "group" && method != "__getitem__") return std::nullopt;
  if (given.empty()) return groups[0];
  std::vector<Constant> several;
  for (const Constant& which : given) {
    const Constant* const group = group_at(match, which);
    if (!group) return std::nullopt;
    several.push_back(*group);
  }
  return several.size() == 1 ? several[0] : Constant::of_items(std::move(several));
}

}  // namespace ropewalk::compat
