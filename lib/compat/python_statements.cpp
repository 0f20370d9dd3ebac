#include "lib/compat/python_statements.h"

#include <algorithm>
#include <iterator>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

using TokenKind = PythonTokenKind;

bool opens(const PythonToken& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool closes(const PythonToken& token) { return token.is(")") || token.is("]") || token.is("}"); }

constexpr std::string_view compound[] = {"if",  "elif",    "else", "for",    "while", "with",
                                         "try", "finally", "def",  "except", "class", "async"};

// The colon that ends the head: outside brackets, and no lambda's.
size_t head_end(TokenSpan line) {
  int depth = 0, lambdas = 0;
  for (size_t n = 0; n < line.size(); ++n) {
    if (opens(line[n])) ++depth;
    if (closes(line[n])) --depth;
    if (depth > 0) continue;
    if (line[n].is("lambda")) ++lambdas;
    if (line[n].is(":") && lambdas-- == 0) return n;
  }
  return line.size();
}

class StatementReader {
 public:
  StatementReader(const std::vector<PythonToken>& tokens, const std::string& path) : tokens_(tokens), path_(path) {}

  std::vector<PythonStatement> read() {
    std::vector<PythonStatement> statements = block();
    if (tokens_[at_].kind != TokenKind::End) fail(tokens_[at_].line, "the indentation fits no line above it");
    return statements;
  }

 private:
  [[noreturn]] void fail(u64 line, const std::string& what) const { throw InputError(Place{path_, line}, what); }

  std::vector<PythonStatement> block() {
    std::vector<PythonStatement> statements;
    while (tokens_[at_].kind != TokenKind::End && tokens_[at_].kind != TokenKind::Dedent) {
      if (tokens_[at_].kind == TokenKind::Indent) fail(tokens_[at_].line, "is indented without need");
      if (tokens_[at_].kind == TokenKind::Newline) {
        ++at_;
        continue;
      }
      line(statements);
    }
    return statements;
  }

  void line(std::vector<PythonStatement>& statements) {
    size_t end = at_;
    while (tokens_[end].kind != TokenKind::Newline && tokens_[end].kind != TokenKind::End) ++end;
    const TokenSpan line(tokens_.data() + at_, end - at_);
    at_ = tokens_[end].kind == TokenKind::Newline ? end + 1 : end;
    const bool named = std::any_of(std::begin(compound), std::end(compound),
                                   [&](std::string_view word) { return line.front().is(word); });
    if (!named && !line.back().is(":")) {
      simple(line, statements);
      return;
    }
    const size_t colon = head_end(line);
    if (colon == line.size()) fail(line.front().line, "a \":\" is missing at the end of " + text_of(line.first(1)));
    PythonStatement statement;
    statement.tokens.assign(line.begin(), line.begin() + long(colon));
    if (colon + 1 < line.size()) {
      simple(line.subspan(colon + 1), statement.body);
    } else {
      if (tokens_[at_].kind != TokenKind::Indent)
        fail(line.back().line, "an indented block is missing after this line");
      ++at_;
      statement.body = block();
      if (tokens_[at_].kind == TokenKind::Dedent) ++at_;
    }
    statements.push_back(std::move(statement));
  }

  static void simple(TokenSpan line, std::vector<PythonStatement>& statements) {
    for (size_t begin = 0; begin < line.size();) {
      const size_t end = find_outside(line, ";", begin);
      PythonStatement statement;
      statement.tokens.assign(line.begin() + long(begin), line.begin() + long(end));
      if (!statement.tokens.empty()) statements.push_back(std::move(statement));
      begin = end + 1;
    }
  }

  const std::vector<PythonToken>& tokens_;
  const std::string& path_;
  size_t at_ = 0;
};

}  // namespace

PythonFile read_python(std::string path, std::string text) {
  PythonFile file;
  file.path = std::move(path);
  file.text = std::make_shared<const std::string>(std::move(text));
  const std::vector<PythonToken> tokens = read_python_tokens(*file.text, file.path);
  file.statements = StatementReader(tokens, file.path).read();
  return file;
}

size_t find_outside(TokenSpan tokens, std::string_view word, size_t begin) {
  int depth = 0;
  for (size_t n = begin; n < tokens.size(); ++n) {
    if (depth == 0 && tokens[n].is(word)) return n;
    if (opens(tokens[n])) ++depth;
    if (closes(tokens[n])) --depth;
  }
  return tokens.size();
}

std::vector<TokenSpan> split_at_commas(TokenSpan tokens) {
  std::vector<TokenSpan> parts;
  for (size_t begin = 0; begin < tokens.size();) {
    const size_t end = find_outside(tokens, ",", begin);
    parts.push_back(tokens.subspan(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

size_t closing_of(TokenSpan tokens, size_t open) {
  int depth = 0;
  for (size_t n = open; n < tokens.size(); ++n) {
    if (opens(tokens[n])) ++depth;
    if (closes(tokens[n]) && --depth == 0) return n;
  }
  return tokens.size();
}

TokenSpan without_brackets(TokenSpan tokens) {
  while (tokens.size() >= 2 && tokens.front().is("(") && closing_of(tokens, 0) + 1 == tokens.size()) {
    tokens = tokens.subspan(1, tokens.size() - 2);
  }
  return tokens;
}

}  // namespace ropewalk
