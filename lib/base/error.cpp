#include "lib/base/error.h"

namespace ropewalk {

std::string Place::text() const {
  std::string out = file;
  if (line) out += ":" + std::to_string(line);
  if (line && column) out += ":" + std::to_string(column);
  if (!field.empty()) out += (out.empty() ? "" : ": ") + field;
  return out;
}

}  // namespace ropewalk
