#include "lib/base/error.h"

#include <algorithm>

namespace ropewalk {
namespace {

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

}  // namespace

std::string InputLocation::text() const {
  std::string out = file;
  if (line) out += ":" + std::to_string(line);
  if (line && column) out += ":" + std::to_string(column);
  if (!field.empty()) out += (out.empty() ? "" : ": ") + field;
  return out;
}

InputError::InputError(const std::string& what) : std::runtime_error(one_line(what)) {}

InputError::InputError(const InputLocation& location, const std::string& what)
    : std::runtime_error(one_line(location.text() + ": " + what)) {}

}  // namespace ropewalk
