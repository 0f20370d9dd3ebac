// Fields of a configuration that may stand under several names, and must then agree.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json.h"

namespace ropewalk::rope {

// Why an object of the configuration has no formula that is known here: not an error, but something to tell.
struct UnknownFormula {
  UnknownFormula(const JsonCursor& object, const std::string& what)
      : reason(object.path().empty() ? what : object.path() + ": " + what) {}
  std::string reason;
};

// A number together with the field that it came from.
struct FoundNumber {
  double value = 0;
  JsonCursor cursor;
};

// The finite number above 0 under the first of these names that the object has and that is not null. Fails where two
// of the names are there with different values.
std::optional<FoundNumber> positive_number(const JsonCursor& object, std::initializer_list<const char*> names);
std::optional<double> optional_positive(const JsonCursor& object, const char* name);
// A whole number from 1 to 2^40 under the first of these names.
std::optional<i64> positive_integer(const JsonCursor& object, std::initializer_list<const char*> names);
// Two sources of one quantity: fails at the second where both are there and differ.
std::optional<FoundNumber> agreed(std::optional<FoundNumber> first, std::optional<FoundNumber> second);
// The object's model_type; "": it has none.
std::string model_type_of(const JsonCursor& object);
// A list of finite numbers above 0.
std::vector<double> positive_numbers(const JsonCursor& list);

}  // namespace ropewalk::rope
