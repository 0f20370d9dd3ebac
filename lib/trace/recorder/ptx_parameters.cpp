// The parameters that PTX declares for a kernel, found without reading the rest of the text.
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "lib/trace/recorder/images.h"

namespace ropewalk::trace {

namespace {

bool is_name(char letter) { return std::isalnum(u8(letter)) || letter == '_' || letter == '$' || letter == '%'; }

// The offset past ".entry KERNEL", or npos.
std::size_t end_of_entry(std::string_view ptx, std::string_view kernel) {
  for (std::size_t at = 0; (at = ptx.find(".entry", at)) != std::string_view::npos;) {
    at += 6;
    while (at < ptx.size() && std::isspace(u8(ptx[at]))) ++at;
    if (ptx.substr(at, kernel.size()) == kernel &&
        (at + kernel.size() >= ptx.size() || !is_name(ptx[at + kernel.size()])))
      return at + kernel.size();
  }
  return std::string_view::npos;
}

// The bytes that a word such as ".u64" or ".f16x2" stands for; 0: it is no type.
u32 bytes_of_type(std::string_view word) {
  if (word == ".pred" || word.size() < 3 || word[0] != '.') return 0;
  std::size_t at = 1;
  if (std::string_view("bufs").find(word[at]) == std::string_view::npos) return 0;
  if (word[at] == 'b' && word.size() > 2 && word[2] == 'f') ++at;  // .bf16
  const std::string digits(word.substr(at + 1));
  if (!std::isdigit(u8(digits[0]))) return 0;
  return u32(std::atoi(digits.c_str())) / 8 * (digits.ends_with("x2") ? 2 : 1);
}

// One ".param ..." declaration: what it takes and how it is aligned.
struct Declared {
  u32 bytes = 0, alignment = 0;
};

Declared read_declaration(std::string_view text) {
  Declared out;
  u64 count = 1;
  bool of_pointer = false, is_alignment = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      count *= u64(std::atoll(std::string(text.substr(at + 1, 20)).c_str()));
      ++at;
      continue;
    }
    if (text[at] != '.' && !is_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (is_alignment) {
      if (!of_pointer) out.alignment = u32(std::atoi(std::string(word).c_str()));
      is_alignment = false;
    } else if (word == ".align") {
      is_alignment = true;
    } else if (word == ".ptr") {
      of_pointer = true;
    } else if (const u32 bytes = bytes_of_type(word)) {
      out.bytes = bytes;
    }
  }
  if (out.alignment < out.bytes) out.alignment = out.bytes;
  out.bytes = u32(out.bytes * count);
  return out;
}

}  // namespace

bool parameters_in_ptx(std::string_view ptx, std::string_view kernel, std::vector<ParameterRange>& to) {
  to.clear();
  std::size_t at = kernel.empty() ? std::string_view::npos : end_of_entry(ptx, kernel);
  if (at == std::string_view::npos) return false;
  while (at < ptx.size() && std::isspace(u8(ptx[at]))) ++at;
  if (at >= ptx.size() || ptx[at] != '(') return true;  // an entry without parameters
  const std::string_view list = ptx.substr(at + 1, ptx.find(')', at) - at - 1);
  u32 end = 0;
  for (std::size_t begin = 0; (begin = list.find(".param", begin)) != std::string_view::npos;) {
    begin += 6;
    const Declared declared = read_declaration(list.substr(begin, list.find(',', begin) - begin));
    if (declared.bytes == 0) return false;
    const u32 offset = (end + declared.alignment - 1) / declared.alignment * declared.alignment;
    to.push_back({offset, declared.bytes});
    end = offset + declared.bytes;
  }
  return true;
}

}  // namespace ropewalk::trace
