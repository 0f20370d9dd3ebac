#include "lib/rope/config_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace ropewalk::rope {
namespace {

double positive(const JsonCursor& cursor) {
  const double value = cursor.finite_number();
  if (!(value > 0) || !std::isfinite(value)) cursor.fail("expected a number above 0, found " + cursor.description());
  return value;
}

}  // namespace

std::optional<FoundNumber> agreed(std::optional<FoundNumber> first, std::optional<FoundNumber> second) {
  if (!first) return second;
  if (second && second->value != first->value) {
    second->cursor.fail(
        fmt::format("{} contradicts {}, which is {}", second->value, first->cursor.path(), first->value));
  }
  return first;
}

std::optional<FoundNumber> positive_number(const JsonCursor& object, std::initializer_list<const char*> names) {
  std::optional<FoundNumber> found;
  for (const char* name : names) {
    if (!object.has_value(name)) continue;
    const JsonCursor cursor = object.at(name);
    found = agreed(found, FoundNumber{positive(cursor), cursor});
  }
  return found;
}

std::optional<double> optional_positive(const JsonCursor& object, const char* name) {
  const std::optional<FoundNumber> found = positive_number(object, {name});
  return found ? std::optional(found->value) : std::nullopt;
}

std::optional<i64> positive_integer(const JsonCursor& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (object.has_value(name)) return object.at(name).integer(1, i64(1) << 40);
  }
  return std::nullopt;
}

std::string model_type_of(const JsonCursor& object) {
  return object.has_value("model_type") && object.at("model_type").is_text() ? object.at("model_type").text() : "";
}

std::vector<double> positive_numbers(const JsonCursor& list) {
  std::vector<double> values;
  for (const JsonCursor& element : list.elements()) values.push_back(positive(element));
  return values;
}

}  // namespace ropewalk::rope
