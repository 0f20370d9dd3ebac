// Terminal colours: words are wrapped in escape codes, or left alone.
#pragma once
#include <string>
#include <string_view>

#include "lib/base/types.h"
#include "reports/printable.h"

namespace ropewalk::reports {

enum class Ink : u8 { Plain, Bold, Error, Warning, Note, Good, Frame, Faint };

class Paint {
 public:
  explicit Paint(bool color) : color_(color) {}
  std::string operator()(Ink ink, std::string_view text) const;

 private:
  bool color_;
};

}  // namespace ropewalk::reports
