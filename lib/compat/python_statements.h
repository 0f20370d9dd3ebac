// Python tokens to statements, each with the block below it.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/compat/python_tokens.h"

namespace ropewalk {

// One statement. Of a compound one the tokens are its head without the colon ("if x > 1"), and `body` is its block.
struct PythonStatement {
  std::vector<PythonToken> tokens;
  std::vector<PythonStatement> body;

  u64 line() const { return tokens.empty() ? 0 : tokens.front().line; }
  bool begins(std::string_view word) const { return !tokens.empty() && tokens.front().is(word); }
};

// Each statement of a body, and then those below it.
template <class Visit>
void visit_statements(const std::vector<PythonStatement>& body, const Visit& visit) {
  for (const PythonStatement& statement : body) {
    visit(statement);
    visit_statements(statement.body, visit);
  }
}

// A Python file that was read; the tokens point into its text.
struct PythonFile {
  std::string path;  // as it is told: inside an archive its member's path
  std::shared_ptr<const std::string> text;
  std::vector<PythonStatement> statements;
};

// Throws InputError "path:line: ..." where the text is no Python that can be taken apart.
PythonFile read_python(std::string path, std::string text);

using TokenSpan = std::span<const PythonToken>;
inline std::string text_of(TokenSpan tokens) { return text_of(tokens.data(), tokens.data() + tokens.size()); }

// The position of the first token `word` outside all brackets, from `begin` on; tokens.size(): there is none.
size_t find_outside(TokenSpan tokens, std::string_view word, size_t begin = 0);
// The parts between the commas outside all brackets; a comma at the end makes no empty part.
std::vector<TokenSpan> split_at_commas(TokenSpan tokens);
// The position of the bracket that closes the one at `open`; tokens.size() where none does.
size_t closing_of(TokenSpan tokens, size_t open);
// Without brackets around the whole.
TokenSpan without_brackets(TokenSpan tokens);

}  // namespace ropewalk
