#include "reports/readable.h"

#include <cctype>

#include "lib/base/demangle.h"

namespace ropewalk::reports {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '$'; }

std::string readable_word(const std::string& word) {
  const std::string plain = without_parameters(demangled(word));
  return plain.empty() ? word : plain;
}

}  // namespace

std::string readable(std::string_view text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    out += word.starts_with("_Z") ? readable_word(word) : word;
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

}  // namespace ropewalk::reports
