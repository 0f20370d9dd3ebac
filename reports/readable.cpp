#include "reports/readable.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace ropewalk {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '$'; }

// Takes out every "(...)" outside template arguments, and the returned type before the name.
std::string without_parameters(const std::string& name) {
  std::string out;
  int parentheses = 0, angles = 0;
  for (const char letter : name) {
    if (letter == '<') ++angles;
    if (letter == '>') --angles;
    if (letter == '(' && angles == 0) ++parentheses;
    if (parentheses == 0) {
      if (letter == ' ' && angles == 0) {
        out.clear();  // what stood before was a returned type
      } else {
        out += letter;
      }
    }
    if (letter == ')' && angles == 0) --parentheses;
  }
  return out;
}

std::string demangled(const std::string& word) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(word.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (status != 0 || !name) return word;
  const std::string plain = without_parameters(name.get());
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
    out += word.starts_with("_Z") ? demangled(word) : word;
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

}  // namespace ropewalk
