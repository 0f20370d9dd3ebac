#include "reports/paint.h"

#include <fmt/format.h>

namespace ropewalk::reports {
namespace {

// Select Graphic Rendition parameters of ECMA-48.
const char* code_of(Ink ink) {
  switch (ink) {
    case Ink::Plain:
      return "";
    case Ink::Bold:
      return "1";
    case Ink::Error:
      return "1;31";
    case Ink::Warning:
      return "1;33";
    case Ink::Note:
      return "1;36";
    case Ink::Good:
      return "1;32";
    case Ink::Frame:
      return "34";
    case Ink::Faint:
      return "2";
  }
  return "";
}

}  // namespace

std::string Paint::operator()(Ink ink, std::string_view text) const {
  if (!color_ || ink == Ink::Plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

}  // namespace ropewalk::reports
