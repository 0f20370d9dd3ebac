// Small values of a report's JSON, read and written.
#pragma once
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json.h"

namespace ropewalk::reports {

// Null where the text is empty.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

// A number, or one of the texts for those that JSON has none for: "NaN", "Infinity", "-Infinity".
inline std::optional<double> optional_number(const JsonCursor& node, const char* key) {
  if (!node.has_value(key)) return std::nullopt;
  if (!node.at(key).is_text()) return node.at(key).finite_number();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double numbers[] = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
  return numbers[node.at(key).choice({"NaN", "Infinity", "-Infinity"}, "number")];
}

// The member that has this name, of those that an enumeration has.
template <class Value>
Value named(const JsonCursor& node, std::initializer_list<Value> values, const std::string& what) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name_of(value));
  return values.begin()[node.choice(names, what)];
}

// The elements of a list that may be missing.
inline std::vector<JsonCursor> list_of(const JsonCursor& node, const char* key) {
  return node.has_value(key) ? node.at(key).elements() : std::vector<JsonCursor>();
}

}  // namespace ropewalk::reports
