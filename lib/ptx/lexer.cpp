#include "lib/ptx/lexer.h"

#include <cstring>

#include "lib/base/error.h"

namespace ropewalk::ptx {

namespace {

constexpr std::string_view index_prefix = "//@index";
constexpr std::string_view assembly_begins = "// begin inline asm";
constexpr std::string_view assembly_ends = "// end inline asm";

// Text of the input for a message: one line, printable, not too long.
std::string shown(std::string_view text) {
  constexpr u64 longest = 60;
  std::string out;
  for (const char c : text.substr(0, longest)) {
    if (u8(c) >= 0x20 && u8(c) != 0x7f) {
      out += c;
    } else {
      constexpr char digits[] = "0123456789abcdef";
      out += std::string("\\x") + digits[u8(c) >> 4] + digits[u8(c) & 15];
    }
  }
  return text.size() > longest ? out + "..." : out;
}

}  // namespace

bool Lexer::at_index_statement() const {
  return u64(end_ - at_) > index_prefix.size() && std::memcmp(at_, index_prefix.data(), index_prefix.size()) == 0 &&
         (at_[index_prefix.size()] == ' ' || at_[index_prefix.size()] == '\t');
}

// At a comment "//".
void Lexer::note_assembly() {
  const std::string_view left(at_, u64(end_ - at_));
  if (left.starts_with(assembly_begins)) {
    in_assembly_ = true;
  } else if (left.starts_with(assembly_ends)) {
    in_assembly_ = false;
  }
}

bool Lexer::skip_comment() {
  if (after() == '/') {
    if (keep_index_statements_ && at_index_statement()) return false;
    note_assembly();
    const void* newline = std::memchr(at_, '\n', u64(end_ - at_));
    at_ = newline ? static_cast<const char*>(newline) : end_;
    return true;
  }
  if (after() != '*') return false;
  const Mark start = mark();
  for (at_ += 2; at_ + 1 < end_; ++at_) {
    if (at_[0] == '*' && at_[1] == '/') {
      at_ += 2;
      return true;
    }
    if (*at_ == '\n') {
      line_start_ = at_ + 1;
      ++line_;
    }
  }
  fail_at(start, "this comment does not end, expected \"*/\"");
}

char Lexer::peek_in_line() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  if (at_ >= end_ || (*at_ == '/' && after() == '/')) return '\n';
  return *at_;
}

char Lexer::peek_statement() {
  keep_index_statements_ = true;
  const char c = peek();
  keep_index_statements_ = false;
  return c;
}

std::string_view Lexer::cut_number() {
  const char* start = at_;
  const bool prefixed = here() == '0' && after() >= 'A' && after() != 'e' && after() != 'E';
  while (at_ < end_ &&
         (is(*at_, number_part) || (!prefixed && (*at_ == '+' || *at_ == '-') && (at_[-1] == 'e' || at_[-1] == 'E')))) {
    ++at_;
  }
  return {start, u64(at_ - start)};
}

std::string_view Lexer::cut_modifiers() {
  const char* start = at_;
  while (at_ < end_ && (is(*at_, word_part) || *at_ == '.' || (*at_ == ':' && after() == ':') ||
                        (*at_ == ':' && at_ > start && at_[-1] == ':'))) {
    ++at_;
  }
  return {start, u64(at_ - start)};
}

std::string_view Lexer::directive() {
  if (peek() != '.' || !is(after(), word_start)) return {};
  ++at_;
  return cut_word();
}

std::string_view Lexer::quoted(const char* expected) {
  if (peek() != '"') fail(expected);
  const char* start = ++at_;
  while (at_ < end_ && *at_ != '"' && *at_ != '\n') ++at_;
  if (here() != '"') fail("'\"' at the end of the text");
  return {start, u64(at_++ - start)};
}

std::string_view Lexer::rest_of_line() {
  peek_in_line();
  const char* start = at_;
  const void* newline = std::memchr(at_, '\n', u64(end_ - at_));
  at_ = newline ? static_cast<const char*>(newline) : end_;
  const char* last = at_;
  while (last > start && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) --last;
  return {start, u64(last - start)};
}

bool Lexer::jump_past(char c) {
  for (; at_ < end_; ++at_) {
    if (*at_ == '\n') {
      line_start_ = at_ + 1;
      ++line_;
    }
    if (*at_ == c) {
      ++at_;
      return true;
    }
  }
  return false;
}

const char* Lexer::hide_after_line() {
  const char* end = end_;
  const void* newline = std::memchr(at_, '\n', u64(end_ - at_));
  if (newline) end_ = static_cast<const char*>(newline);
  return end;
}

void Lexer::fail(const std::string& expected) {
  skip();
  const Mark where = mark();
  if (at_ >= end_) fail_at(where, "the text ends here, expected " + expected);
  const char* start = at_++;
  while (at_ < end_ && is(*start, word_part | word_start | number_part) && is(*at_, word_part | number_part)) ++at_;
  fail_at(where, "found \"" + shown({start, u64(at_ - start)}) + "\", expected " + expected);
}

void Lexer::fail_expected(char c, const char* where) { fail(std::string("'") + c + "' " + where); }

void Lexer::fail_at(Mark mark, const std::string& message) const {
  throw InputError(InputLocation{*path_, mark.line, mark.column, ""}, message);
}

}  // namespace ropewalk::ptx
