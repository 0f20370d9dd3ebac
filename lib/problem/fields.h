// How problems of every kind are printed and read, given the list of their fields.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/problem/call_text.h"

namespace ropewalk {

// `Visit` is called as visit(problem, f) and calls f(key, field) for every field, in the order of the print. `Values`
// has text(value) and read(text, value, &what) for the types of the fields.
template <class Problem, class Visit, class Values>
struct FieldFormat {
  const char* name;                                // before the bracket
  std::array<std::string_view, 5> always_printed;  // the others are printed where they differ from the default
  Visit visit;

  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    const Problem problem;
    visit(problem, [&](const char* key, const auto&) { keys.emplace_back(key); });
    return keys;
  }

  std::string print(const Problem& problem) const {
    std::vector<std::string> fields, defaults;
    const Problem plain;
    visit(plain, [&](const char*, const auto& value) { defaults.push_back(Values::text(value)); });
    u64 n = 0;
    visit(problem, [&](const char* key, const auto& value) {
      std::string text = Values::text(value);
      const bool always = std::find(always_printed.begin(), always_printed.end(), key) != always_printed.end();
      if (text != defaults[n++] || always) fields.push_back(fmt::format("{}={}", key, text));
    });
    return fmt::format("{}({})", name, fmt::join(fields, ","));
  }

  // Throws InputError that names the key and the nearest known one.
  Problem read(std::string_view text) const {
    const CallText call = CallText::parse(text);
    if (call.name != name) {
      throw InputError(call.location(), fmt::format("\"{}\" is not the problem \"{}\"", one_line(call.name), name));
    }
    Problem problem;
    for (const auto& field : call.fields) {
      bool known = false;
      visit(problem, [&](std::string_view key, auto& value) {
        if (key != field.key) return;
        known = true;
        std::string expected;
        if (!Values::read(field.value, value, &expected)) call.refuse(field, expected);
      });
      if (!known) {
        throw InputError(call.location(), fmt::format("column {}: no field \"{}\", {}", field.column,
                                                      one_line(field.key), did_you_mean(field.key, keys())));
      }
    }
    return problem;
  }
};

// Throws InputError that names the nearest of the kinds of input where it is none.
inline void require_input(std::string_view text, const std::string& input, const std::vector<std::string>& kinds) {
  if (std::find(kinds.begin(), kinds.end(), input) != kinds.end()) return;
  throw InputError(CallText::parse(text).location("input"),
                   fmt::format("\"{}\" is no kind of input, {}", one_line(input), did_you_mean(input, kinds)));
}

}  // namespace ropewalk
