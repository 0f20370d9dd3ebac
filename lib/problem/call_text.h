// The text form that all problems share: a name and its fields, "rotary(B=2,offsets=[0,5],dtype=bf16)".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/base/error.h"

namespace ropewalk {

// The text in one line and of bounded length, so that a message stays one.
std::string one_line(std::string_view text);

// A text of this form, taken apart but not yet understood. Blanks between the parts do not count.
struct CallText {
  struct Field {
    std::string key;
    std::string value;  // without blanks at its ends; a list keeps its brackets
    u64 column = 0;     // 1-based, of the key
  };
  std::string text;  // as given, for messages
  std::string name;
  std::vector<Field> fields;

  // Throws InputError with the column where the text is not of this form or a key comes twice.
  static CallText parse(std::string_view text);
  // The location of an error in this text: the text in one line, then the field.
  InputLocation location(const std::string& field = "") const;
  // Throws the InputError for a field whose value does not fit: "rotary(...): T: "x" is not ..., expected ...".
  [[noreturn]] void refuse(const Field& field, std::string_view expected) const;
};

// The values that fields have, printed so that reading them back gives the same value (numbers by the shortest text).
std::string value_text(i64 value);
std::string value_text(u64 value);
std::string value_text(bool value);
std::string value_text(double value);
std::string value_text(Dtype value);
std::string value_text(const std::string& value);
std::string value_text(const std::vector<i64>& values);

// Reads such a value into `out`; false where the text is none. `what` is then what was expected.
bool read_value(std::string_view text, i64& out, std::string* what);
bool read_value(std::string_view text, u64& out, std::string* what);
bool read_value(std::string_view text, bool& out, std::string* what);
bool read_value(std::string_view text, double& out, std::string* what);
bool read_value(std::string_view text, Dtype& out, std::string* what);
bool read_value(std::string_view text, std::string& out, std::string* what);
bool read_value(std::string_view text, std::vector<i64>& out, std::string* what);

}  // namespace ropewalk
