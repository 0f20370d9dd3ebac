#include "reports/brief.h"

#include <cctype>

#include "reports/readable.h"

namespace ropewalk::reports {
namespace {

constexpr std::size_t most_letters = 80;

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_'; }

// The offset past the bracket that closes the one at `open`; npos: none does.
std::size_t behind(std::string_view text, std::size_t open) {
  std::string expected;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '<' || letter == '(' || letter == '{') {
      expected += letter == '<' ? '>' : letter == '(' ? ')' : '}';
    } else if (letter == '>' && at && text[at - 1] == '-') {
      continue;
    } else if (letter == '>' || letter == ')' || letter == '}') {
      if (expected.empty() || expected.back() != letter) return std::string_view::npos;
      expected.pop_back();
      if (expected.empty()) return at + 1;
    }
  }
  return std::string_view::npos;
}

// "::THRUST_300001_SM_800_NS", "::CUB_300001_SM_800"
std::size_t version_at(std::string_view text, std::size_t at) {
  for (const std::string_view start : {"::THRUST_", "::CUB_"}) {
    if (!text.substr(at).starts_with(start)) continue;
    std::size_t end = at + 2;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text.substr(end).starts_with("::")) return end - at;
  }
  return 0;
}

bool is_of_stack(const std::string& line) { return line.starts_with("  called by "); }
// The last thing in brackets is where: "main (main.cu:5)", "f (/usr/include/c++/12/bits/invoke.h:61)", "lib.so+0x12".
bool is_own(const std::string& line) {
  const std::size_t open = line.rfind(" (");
  if (open == std::string::npos || !line.ends_with(")")) return false;
  const std::string_view location = std::string_view(line).substr(open + 2);
  return !location.starts_with("/usr/") && !location.starts_with("./") && !location.starts_with("../sysdeps/") &&
         location.find("+0x") == std::string_view::npos && location.find(':') != std::string_view::npos;
}

}  // namespace

std::string brief(std::string_view mangled) {
  const std::string text = readable(mangled);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t length = version_at(text, at)) {
      at += length;
      continue;
    }
    const bool opens = at && ((text[at] == '<' && is_word(text[at - 1])) ||
                              (text[at] == '(' && (is_word(text[at - 1]) || text[at - 1] == '>')));
    const std::size_t end = opens ? behind(text, at) : std::string::npos;
    // Parameters in another language than C++ are what a report may be about.
    const std::string_view inside = std::string_view(text).substr(at, end == std::string::npos ? 0 : end - at);
    const bool is_of_types = inside.starts_with("<") || inside.find('<') != std::string_view::npos ||
                             inside.find("::") != std::string_view::npos;
    if (end != std::string::npos && end - at > most_letters && is_of_types) {
      out += text[at] == '<' ? "<...>" : "(...)";
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::vector<std::string> brief_stacks(const std::vector<std::string>& evidence) {
  std::vector<std::string> out;
  for (std::size_t n = 0; n < evidence.size();) {
    if (!is_of_stack(evidence[n])) {
      out.push_back(evidence[n++]);
      continue;
    }
    std::size_t end = n;
    bool has_own = !out.empty() && is_own(out.back());
    for (; end < evidence.size() && is_of_stack(evidence[end]); ++end) has_own |= is_own(evidence[end]);
    for (; n < end; ++n) {
      if (!has_own || is_own(evidence[n])) out.push_back(evidence[n]);
    }
  }
  return out;
}

std::optional<std::string> own_line(const std::vector<std::string>& evidence) {
  for (const std::string& line : evidence) {
    for (const std::string_view word : {"  called by ", "launched at ", "called at "}) {
      if (line.starts_with(word) && is_own(line)) return line.substr(word.size());
    }
  }
  return std::nullopt;
}

}  // namespace ropewalk::reports
