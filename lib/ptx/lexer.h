// A cursor over PTX text: steps over space and comments, cuts out words and numbers, knows line and column.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk::ptx {

// A position in the text, both 1-based.
struct Mark {
  u32 line = 0;
  u32 column = 0;
};

class Lexer {
 public:
  // `path` is what messages call the text. Both must outlive the lexer.
  Lexer(std::string_view text, const std::string& path)
      : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()), path_(&path) {}

  // The next character that is neither space nor comment; '\0' at the end.
  char peek() {
    skip();
    return at_ < end_ ? *at_ : '\0';
  }
  // As peek(), but stops before the end of the line (and gives '\n' there): for directives that end with their line.
  char peek_in_line();
  // As peek(), but stops at a comment that begins with "//@index ", which is a statement of ours.
  char peek_statement();
  // Whether the cursor stands at "//@index "; to be asked after peek_statement().
  bool at_index_statement() const;
  bool at_end() { return peek() == '\0' && at_ >= end_; }

  // The character at the cursor itself and the one after it; '\0' past the end.
  char here() const { return at_ < end_ ? *at_ : '\0'; }
  char after() const { return at_ + 1 < end_ ? at_[1] : '\0'; }
  void advance(u64 characters) { at_ += characters; }

  bool accept(char c) {
    if (peek() != c || at_ >= end_) return false;
    ++at_;
    return true;
  }
  // Fails with "expected 'c' WHERE" when the next character is another one.
  void expect(char c, const char* where) {
    if (!accept(c)) fail_expected(c, where);
  }

  // Whether a word (letter, '_', '$' or '%' first) comes next.
  bool at_word() { return is(peek(), word_start); }
  // The word that comes next; fails with `expected` where there is none.
  std::string_view word(const char* expected) {
    if (!at_word()) fail(expected);
    return cut_word();
  }
  // The word at the cursor, for callers that have just seen its first character.
  std::string_view cut_word() {
    const char* start = at_++;
    while (at_ < end_ && is(*at_, word_part)) ++at_;
    return {start, u64(at_ - start)};
  }
  // Letters, digits and dots of a number at the cursor, with the sign of an exponent.
  std::string_view cut_number();
  // The modifiers at the cursor: ".global.L2::128B" and the like, without a space in between.
  std::string_view cut_modifiers();
  // A directive: the dot that comes next and the word behind it; the word is returned. Empty where none comes.
  std::string_view directive();
  // What stands between double quotes.
  std::string_view quoted(const char* expected);
  // The rest of the line, without space around it.
  std::string_view rest_of_line();
  // Moves past the next `c`, whatever stands before it; false where there is none (the cursor is at the end then).
  bool jump_past(char c);
  // Hides what follows the current line until the returned end is given to show_until().
  const char* hide_after_line();
  void show_until(const char* end) { end_ = end; }

  const char* cursor() const { return at_; }
  // Where the cursor stands.
  Mark mark() const { return {line_, u32(at_ - line_start_) + 1}; }
  // Whether the cursor is between the comments that compilers write around inline assembly.
  bool in_inline_assembly() const { return in_assembly_; }

  // Throws InputError: "found X, expected EXPECTED" at the cursor.
  [[noreturn]] void fail(const std::string& expected);
  [[noreturn]] void fail_at(Mark mark, const std::string& message) const;

 private:
  enum : u8 { word_start = 1, word_part = 2, number_part = 4 };
  static constexpr std::array<u8, 256> classes = [] {
    std::array<u8, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = word_start | word_part | number_part;
    for (int c = '0'; c <= '9'; ++c) table[c] = word_part | number_part;
    table['_'] = table['$'] = word_start | word_part;
    table['%'] = word_start;
    table['.'] = number_part;
    return table;
  }();
  static bool is(char c, u8 which) { return classes[u8(c)] & which; }

  void skip() {
    while (at_ < end_) {
      const char c = *at_;
      if (c == '\n') {
        line_start_ = ++at_;
        ++line_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c != '/' || !skip_comment()) {
        return;
      }
    }
  }
  bool skip_comment();
  void note_assembly();
  [[noreturn]] void fail_expected(char c, const char* where);

  const char* at_;
  const char* end_;
  const char* line_start_;
  const std::string* path_;
  u32 line_ = 1;
  bool in_assembly_ = false;
  bool keep_index_statements_ = false;
};

}  // namespace ropewalk::ptx
