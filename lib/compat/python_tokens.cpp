#include "lib/compat/python_tokens.h"

#include "lib/base/error.h"

namespace ropewalk {
namespace {

constexpr int deepest_nesting = 100;  // CPython's own limit of indentation; of brackets and f-strings it is plenty

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool goes_on(char c) { return starts_name(c) || is_digit(c); }

class Tokenizer {
 public:
  Tokenizer(std::string_view source, const std::string& path) : source_(source), path_(path) {}

  std::vector<PythonToken> read() {
    if (source_.starts_with("\xef\xbb\xbf")) at_ = 3;
    line_start_ = at_;
    while (at_ < source_.size()) {
      if (at_line_start_ && brackets_.empty()) {
        if (!indent()) continue;
      }
      token();
    }
    if (!brackets_.empty()) {
      fail_at(brackets_.back().line, 0, std::string("\"") + brackets_.back().opening + "\" is never closed");
    }
    if (!tokens_.empty() && tokens_.back().kind != PythonTokenKind::Newline) add(PythonTokenKind::Newline, at_, at_);
    for (; indents_.size() > 1; indents_.pop_back()) add(PythonTokenKind::Dedent, at_, at_);
    add(PythonTokenKind::End, at_, at_);
    return std::move(tokens_);
  }

 private:
  struct Bracket {
    char opening;
    u64 line;
  };

  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  void add(PythonTokenKind kind, size_t begin, size_t end) {
    tokens_.push_back({kind, source_.substr(begin, end - begin), line_});
  }
  [[noreturn]] void fail_at(u64 line, u64 column, const std::string& what) const {
    throw InputError(Place{path_, line, column, ""}, what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(line_, at_ - line_start_ + 1, what); }
  void next_line() {
    ++line_;
    line_start_ = at_;
  }
  // Takes the end of a line, "\n" or "\r\n" or "\r".
  void take_line_end() {
    if (peek() == '\r' && peek(1) == '\n') ++at_;
    ++at_;
    next_line();
  }
  bool at_line_end() const { return peek() == '\n' || peek() == '\r'; }

  // Measures a line's indentation; false: the line is blank and taken.
  bool indent() {
    u64 width = 0;
    for (; at_ < source_.size(); ++at_) {
      if (peek() == ' ')
        ++width;
      else if (peek() == '\t')
        width = (width / 8 + 1) * 8;
      else if (peek() == '\f')
        width = 0;
      else
        break;
    }
    if (peek() == '#') skip_comment();
    if (at_ >= source_.size()) return false;
    if (at_line_end()) {
      take_line_end();
      return false;
    }
    at_line_start_ = false;
    if (width > indents_.back()) {
      if (indents_.size() > deepest_nesting) fail("is indented more than 100 levels deep");
      indents_.push_back(width);
      add(PythonTokenKind::Indent, at_, at_);
    }
    for (; width < indents_.back(); indents_.pop_back()) add(PythonTokenKind::Dedent, at_, at_);
    if (width != indents_.back()) fail("the indentation fits no line above it");
    return true;
  }

  void skip_comment() {
    while (at_ < source_.size() && !at_line_end()) ++at_;
  }

  void token() {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (at_line_end()) {
      if (brackets_.empty()) {
        add(PythonTokenKind::Newline, at_, at_);
        at_line_start_ = true;
      }
      take_line_end();
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      ++at_;
      take_line_end();
    } else if (const size_t prefix = string_prefix(); prefix != std::string::npos) {
      string(prefix);
    } else if (starts_name(c)) {
      const size_t begin = at_;
      while (goes_on(peek())) ++at_;
      add(PythonTokenKind::Name, begin, at_);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else {
      punctuation();
    }
  }

  void number() {
    const size_t begin = at_;
    while (goes_on(peek()) || peek() == '.') {
      const char c = peek();
      ++at_;
      const bool hexadecimal = source_.substr(begin, 2) == "0x" || source_.substr(begin, 2) == "0X";
      if ((c == 'e' || c == 'E') && !hexadecimal && (peek() == '+' || peek() == '-')) ++at_;
    }
    add(PythonTokenKind::Number, begin, at_);
  }

  // Letters in front of a string's quote here; npos: no string begins here.
  size_t string_prefix() const {
    for (size_t n = 0; n < 3; ++n) {
      const char c = peek(n);
      if (c == '"' || c == '\'') return n;
      if (std::string_view("rRbBuUfFtT").find(c) == std::string_view::npos || c == '\0') break;
    }
    return std::string::npos;
  }

  void string(size_t prefix) {
    const size_t begin = at_;
    const u64 first_line = line_;
    skip_string(prefix, 0);
    add(PythonTokenKind::String, begin, at_);
    tokens_.back().line = first_line;
  }

  // Takes a string with its prefix. In an f-string's braces stands code, which may hold strings again.
  void skip_string(size_t prefix, int depth) {
    if (depth > 16) fail("f-strings are nested too deeply");
    const std::string_view letters = source_.substr(at_, prefix);
    const bool formatted = letters.find_first_of("fFtT") != std::string_view::npos;
    const u64 first_line = line_, first_column = at_ - line_start_ + 1;
    at_ += prefix;
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    int braces = 0;
    while (at_ < source_.size()) {
      const char c = peek();
      if (c == '\\' && at_ + 1 < source_.size()) {
        ++at_;
        if (at_line_end())
          take_line_end();
        else
          ++at_;
      } else if (braces == 0 && c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        return;
      } else if (at_line_end()) {
        if (!triple && braces == 0) break;
        take_line_end();
      } else if (formatted && (c == '{' || c == '}')) {
        if (braces == 0 && peek(1) == c)
          ++at_;  // a doubled brace stands for itself
        else if (c == '{')
          ++braces;
        else if (braces > 0)
          --braces;
        ++at_;
      } else if (braces > 0 && (c == '"' || c == '\'')) {
        skip_string(0, depth + 1);
      } else {
        ++at_;
      }
    }
    fail_at(first_line, first_column, "the string is never closed");
  }

  void punctuation() {
    static constexpr std::string_view operators[] = {
        "**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "+=",
        "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "@=", "**", "//", "<<", ">>"};
    for (const std::string_view word : operators) {
      if (!source_.substr(at_).starts_with(word)) continue;
      add(PythonTokenKind::Operator, at_, at_ + word.size());
      at_ += word.size();
      return;
    }
    const char c = peek();
    if (std::string_view("()[]{}+-*/%@&|^~<>=.,:;!").find(c) == std::string_view::npos) {
      fail(std::string("found ") + (c >= ' ' ? std::string("\"") + c + "\"" : "a control character") +
           ", which is no Python");
    }
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= deepest_nesting) fail("brackets are nested more than 100 levels deep");
      brackets_.push_back({c, line_});
    }
    if (c == ')' || c == ']' || c == '}') close(c);
    add(PythonTokenKind::Operator, at_, at_ + 1);
    ++at_;
  }

  void close(char c) {
    const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (brackets_.empty()) fail(std::string("\"") + c + "\" closes nothing");
    if (brackets_.back().opening != opening) {
      fail(std::string("\"") + c + "\" cannot close the \"" + brackets_.back().opening + "\" of line " +
           std::to_string(brackets_.back().line));
    }
    brackets_.pop_back();
  }

  std::string_view source_;
  const std::string& path_;
  size_t at_ = 0, line_start_ = 0;
  u64 line_ = 1;
  bool at_line_start_ = true;
  std::vector<u64> indents_{0};
  std::vector<Bracket> brackets_;
  std::vector<PythonToken> tokens_;
};

}  // namespace

std::vector<PythonToken> read_python_tokens(std::string_view source, const std::string& path) {
  return Tokenizer(source, path).read();
}

std::string_view contents_of(const PythonToken& string) {
  std::string_view text = string.text;
  while (!text.empty() && text[0] != '"' && text[0] != '\'') {
    if (text[0] == 'f' || text[0] == 'F') return {};
    text.remove_prefix(1);
  }
  const size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  if (text.size() < 2 * quotes) return {};
  return text.substr(quotes, text.size() - 2 * quotes);
}

std::string text_of(const PythonToken* begin, const PythonToken* end) {
  std::string text;
  for (const PythonToken* token = begin; token != end; ++token) {
    const bool word = token->is_name() || token->kind == PythonTokenKind::Number;
    if (token != begin) {
      const PythonToken& before = token[-1];
      // A sign or a star belongs to what follows, an operator stands apart.
      const bool operand = token - begin > 1 && (token[-2].is_name() || token[-2].kind == PythonTokenKind::Number ||
                                                 token[-2].is(")") || token[-2].is("]"));
      const bool word_before = before.is_name() || before.kind == PythonTokenKind::Number;
      const bool tight = before.is("(") || before.is("[") || before.is("{") || before.is(".") ||
                         (before.is("-") && !operand) || ((before.is("*") || before.is("**")) && !operand) ||
                         token->is(")") || token->is("]") || token->is("}") || token->is(",") || token->is(".") ||
                         token->is(":") ||
                         ((token->is("(") || token->is("[")) && (word_before || before.is(")") || before.is("]")));
      if (!tight || (word && word_before)) text += ' ';
    }
    text += token->text;
  }
  return text;
}

}  // namespace ropewalk
