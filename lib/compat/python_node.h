// Python source as Python's own parser reads it: statements and expressions as one kind of node.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::compat {

struct PythonNode {
  std::string
      kind;  // the name of ast's class: "Call"; of constants "Text", "Number" and "Constant"; of parameters their kind
  std::string word;             // its identifier, operators ("Lt LtE") or constant
  u64 line = 0, last_line = 0;  // 1-based
  // The same for expressions that differ in spaces, brackets and quotes alone. Of a statement what stands before its
  // block.
  std::string text;
  std::vector<std::pair<std::string, std::vector<PythonNode>>> fields;  // by ast's name

  explicit operator bool() const { return !kind.empty(); }
  bool is(std::string_view one) const { return kind == one; }
  bool is_function() const { return is("FunctionDef") || is("AsyncFunctionDef"); }
  bool is_comprehension() const { return is("ListComp") || is("GeneratorExp") || is("SetComp") || is("DictComp"); }
  // The nodes of a field; none where it has no such.
  const std::vector<PythonNode>& all(std::string_view field) const;
  // The one node of a field; a node without a kind where it has none.
  const PythonNode& one(std::string_view field) const;
};

// Whether the field holds a block: statements, except clauses or cases.
bool is_block(std::string_view field);

// The node, and all below it.
template <class Visit>
void visit_nodes(const PythonNode& node, const Visit& visit) {
  visit(node);
  for (const auto& [field, nodes] : node.fields) {
    for (const PythonNode& inner : nodes) visit_nodes(inner, visit);
  }
}

// Each statement of a block, and then those below it.
template <class Visit>
void visit_statements(const std::vector<PythonNode>& body, const Visit& visit) {
  for (const PythonNode& statement : body) {
    visit(statement);
    for (const auto& [field, nodes] : statement.fields) {
      if (is_block(field)) visit_statements(nodes, visit);
    }
  }
}

// The expressions of a statement itself, and all below them.
template <class Visit>
void visit_expressions(const PythonNode& statement, const Visit& visit) {
  for (const auto& [field, nodes] : statement.fields) {
    if (is_block(field)) continue;
    for (const PythonNode& inner : nodes) visit_nodes(inner, visit);
  }
}

// "a.b.c" of a name with attributes; empty where the node is something else.
std::string dotted_name(const PythonNode& node);
// The names that a lambda or a comprehension gives values of their own; none of any other node.
std::set<std::string> own_names(const PythonNode& scope);
// Fills in the text; those of the nodes below have theirs.
void write_text(PythonNode& node);

}  // namespace ropewalk::compat
