#include "lib/compat/asked_lines.h"

#include <algorithm>

namespace ropewalk {

u64 last_line_of(const std::vector<PythonStatement>& body) {
  u64 last = 0;
  visit_statements(body, [&](const PythonStatement& statement) {
    if (!statement.tokens.empty()) last = std::max(last, statement.tokens.back().line);
  });
  return last;
}

AskedLines::AskedLines(const std::vector<PythonStatement>& body) {
  visit_statements(body, [&](const PythonStatement& statement) {
    if (statement.tokens.empty()) return;
    statements_.emplace_back(statement.tokens.back().line, text_of(TokenSpan(statement.tokens)));
  });
}

u64 AskedLines::last(const std::string& text) {
  const auto [known, is_new] = known_.emplace(text, 0);
  if (!is_new) return known->second;
  const auto found = std::find_if(statements_.rbegin(), statements_.rend(), [&](const auto& statement) {
    return statement.second.find(text) != std::string::npos;
  });
  if (found != statements_.rend()) known->second = found->first;
  return known->second;
}

}  // namespace ropewalk
