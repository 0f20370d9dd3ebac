#include "lib/compat/asked_lines.h"

#include <algorithm>

namespace ropewalk::compat {

AskedLines::AskedLines(const std::vector<PythonNode>& body) {
  visit_statements(body, [&](const PythonNode& statement) {
    u64 line = statement.line;
    visit_expressions(statement, [&](const PythonNode& one) { line = std::max(line, one.last_line); });
    statements_.emplace_back(line, statement.text);
  });
}

u64 AskedLines::last(const std::string& text) {
  const auto [known, is_new] = known_.emplace(text, 0);
  if (!is_new) return known->second;
  for (const auto& [line, statement] : statements_) {
    if (statement.find(text) != std::string::npos) known->second = std::max(known->second, line);
  }
  return known->second;
}

}  // namespace ropewalk::compat
