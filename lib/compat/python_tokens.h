// Python source to tokens: names, numbers, strings, operators and the structure of lines. Nothing is executed.
// The lexical rules are those of the Python Language Reference 3.12, chapter 2.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

enum class PythonTokenKind : u8 { Name, Number, String, Operator, Newline, Indent, Dedent, End };

struct PythonToken {
  PythonTokenKind kind = PythonTokenKind::End;
  std::string_view text;  // in the source
  u64 line = 0;           // 1-based

  bool is(std::string_view word) const { return text == word && kind != PythonTokenKind::String; }
  bool is_name() const { return kind == PythonTokenKind::Name; }
};

// The views point into `source`, which must outlive them. Throws InputError "path:line:column: ..." where a string or a
// bracket is not closed, a bracket closes another, or a line is indented as none before it.
std::vector<PythonToken> read_python_tokens(std::string_view source, const std::string& path);

// The contents of a string token without prefix and quotes; escapes stay as they are. Empty for f-strings.
std::string_view contents_of(const PythonToken& string);

// Tokens as one readable line: "(-1, 0) if causal else (-1, -1)".
using PythonTokens = std::vector<PythonToken>;
std::string text_of(const PythonToken* begin, const PythonToken* end);

}  // namespace ropewalk
