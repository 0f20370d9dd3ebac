#include "reports/printable.h"

#include <fmt/format.h>

#include "lib/base/types.h"

namespace ropewalk::reports {
namespace {

constexpr const char* replacement = "\xef\xbf\xbd";

// A character and the bytes that it takes; length 0: no UTF-8 here.
struct Decoded {
  u32 value = 0;
  size_t length = 0;
};

// Well-formed UTF-8 is table 3-7 of the Unicode Standard: no overlong forms, no surrogates, at most U+10FFFF.
Decoded decode(std::string_view text) {
  const auto byte = [&](size_t n) { return n < text.size() ? u32(static_cast<unsigned char>(text[n])) : 0u; };
  const u32 first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const u32 least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  if (first < 0xc0 || first > 0xf4) return {};
  u32 value = first & (0x7fu >> length);
  for (size_t n = 1; n < length; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(n) & 0x3f);
  }
  if (value < least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, length};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded one = decode(text);
    const size_t length = one.length ? one.length : 1;
    if (one.length == 0 || one.value == 0xfffe || one.value == 0xffff) {
      out += replacement;
    } else if (one.value == '\t') {
      out += ' ';
    } else if (one.value < 0x20 || one.value == 0x7f) {
      out += fmt::format("\\x{:02x}", one.value);
    } else if (one.value >= 0x80 && one.value < 0xa0) {
      out += fmt::format("\\u{:04x}", one.value);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string escaped_for_html(std::string_view text) {
  std::string out;
  for (const char letter : printable(text)) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

}  // namespace ropewalk::reports
