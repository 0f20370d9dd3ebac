#include "lib/compat/words_of_text.h"

#include <cctype>

namespace ropewalk::compat {
namespace {

bool is_part(const std::string& text, size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
}

// Whether what stands there, on one line, is `=` and a value.
bool is_given(const std::string& text, size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at + 1 < text.size() && text[at] == '=' && text[at + 1] != '=';
}

}  // namespace

bool has_word(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!is_part(text, at - 1) && !is_part(text, at + word.size())) return true;
  }
  return false;
}

bool gives_attribute(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (is_part(text, at - 1) || is_part(text, end)) continue;
    const bool is_attribute = at > 0 && text[at - 1] == '.';
    const bool is_own =
        (at >= 5 && text.compare(at - 5, 5, "self.") == 0) || (at >= 4 && text.compare(at - 4, 4, "cls.") == 0);
    const bool is_item = end < text.size() && text[end] == '[';
    if (is_own || (!is_attribute && !is_item)) continue;
    if (is_item) {
      const size_t line = text.find('\n', end), close = text.find(']', end);
      if (close == std::string::npos || close > line) continue;
      end = close + 1;
    }
    if (is_given(text, end)) return true;
  }
  return false;
}

}  // namespace ropewalk::compat
