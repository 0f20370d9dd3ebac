#include "lib/machine/early_return.h"

#include <algorithm>
#include <regex>

namespace ropewalk::machine {

namespace {

constexpr u32 longest = 2000;  // lines of a function

// Lines of a file in which a function lies, so far as its instructions tell: its first and last line may lie outside.
struct Span {
  u32 file = 0, first = 0, last = 0;
};

// Of the function that has the location: those with its name, or with the same call where names are not known.
Span span_of(const ptx::Function& function, const ptx::Location& here) {
  Span span{here.file, here.line, here.line};
  for (const ptx::Location& it : function.locations) {
    const bool is_same = here.function ? it.function == here.function : it.inlined_at == here.inlined_at;
    if (it.file != here.file || it.line == 0 || !is_same) continue;
    span.first = std::min(span.first, it.line);
    span.last = std::max(span.last, it.line);
  }
  return span;
}

std::string without_comment(std::string line) { return line.substr(0, line.find("//")); }

// A function's text ends at a brace in the first column, or with the line in which all of it stands; one that is
// indented is taken to go on for longer than it does.
bool ends_function(const std::string& line) {
  if (line.starts_with('}')) return true;
  const std::string code = without_comment(line);
  const auto count = [&](char brace) { return std::ranges::count(code, brace); };
  const std::size_t last = code.find_last_not_of(" \t\r");
  return last != std::string::npos && code[last] == '}' && code[0] != ' ' && code[0] != '\t' &&
         count('{') == count('}');
}

// Without the statement by which a function gives its value at its end, which leaves nothing out.
std::string without_last_return(const std::string& file, u32 line, const std::string& code,
                                const SourceLines& source_lines) {
  static const std::regex whole(R"(\s*return\b[^;{}]*;\s*)"), in_one_line(R"(\breturn\b[^;{}]*;\s*\}\s*$)");
  std::smatch found;
  if (ends_function(code) && std::regex_search(code, found, in_one_line)) return found.prefix();
  if (!std::regex_match(code, whole)) return code;
  for (u32 next = line + 1;; ++next) {
    const std::optional<std::string> text = source_lines(file, next);
    if (!text || text->starts_with('}')) return text ? "" : code;
    if (without_comment(*text).find_first_not_of(" \t\r") != std::string::npos) return code;
  }
}

bool never_returns(const std::string& file, const Span& span, const SourceLines& source_lines) {
  static const std::regex leaves(R"(\b(return|goto|asm|__asm__|__trap|throw)\b)"), macro(R"(\b[A-Z][A-Z0-9_]*\s*\()");
  if (span.last - span.first > longest) return false;
  // A macro before the body may be its heading.
  const auto is_innocent = [&](u32 line) {
    const std::optional<std::string> text = source_lines(file, line);
    if (!text) return false;
    const std::string code = without_last_return(file, line, without_comment(*text), source_lines);
    return !std::regex_search(code, leaves) && !(line > span.first && std::regex_search(code, macro));
  };
  for (u32 line = span.first; line <= span.last; ++line) {
    if (!is_innocent(line)) return false;
  }
  for (u32 line = span.first; line-- > 1;) {
    const std::optional<std::string> text = source_lines(file, line);
    if (!text || ends_function(*text)) break;
    if (span.first - line > longest || !is_innocent(line)) return false;
  }
  for (u32 line = span.last;; ++line) {
    const std::optional<std::string> text = source_lines(file, line);
    if (!text || ends_function(*text)) return true;
    if (line - span.last > longest || !is_innocent(line)) return false;
  }
}

}  // namespace

bool source_never_returns(const ptx::Module& module, const ptx::Function& function, u32 location,
                          const SourceLines& source_lines) {
  if (!source_lines || location == 0) return false;
  while (location != 0) {
    const ptx::Location& here = function.locations[location];
    if (here.line == 0 || here.file >= module.files.size()) return false;
    if (!never_returns(module.files[here.file], span_of(function, here), source_lines)) return false;
    location = here.inlined_at;
  }
  return true;
}

}  // namespace ropewalk::machine
