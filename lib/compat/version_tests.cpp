#include "lib/compat/version_tests.h"

#include <algorithm>

#include "lib/compat/relevant.h"

namespace ropewalk {
namespace {

bool looks_inside(const std::string& called) {
  return called == "signature" || called == "getfullargspec" || called == "getargspec" || called == "hasattr" ||
         called == "getattr" || called == "dir" || called == "vars";
}

std::string first_part(const std::string& dotted) { return dotted.substr(0, dotted.find('.')); }

// A value that says which way was taken: a constant or a truth, no result.
bool says_the_way(const PythonNode& value) {
  return value.is("Constant") || value.is("Number") || value.is("Text") || value.is("Compare") || value.is("BoolOp") ||
         value.is("UnaryOp");
}

bool returns_the_way(const std::vector<PythonNode>& body) {
  bool found = false;
  visit_statements(body, [&](const PythonNode& statement) {
    found = found || (statement.is("Return") && says_the_way(statement.one("value")));
  });
  return found;
}

}  // namespace

VersionTests::VersionTests(const PythonFile& file, const ProviderView& provider) : provider_(provider) {
  visit_statements(file.statements, [&](const PythonNode& statement) {
    for (const Import& import : imports_of(statement)) {
      if (!is_module(first_part(import.module), provider)) continue;
      if (import.whole && import.names.empty()) provided_.insert(first_part(import.module));
      for (const auto& [name, alias] : import.names) {
        (name.find("version") == std::string::npos || import.whole ? provided_ : made_).insert(alias);
      }
    }
  });
  for (size_t before = ~size_t(0); before != made_.size();) {
    before = made_.size();
    take(file.statements, false);
  }
}

bool VersionTests::is_one(const PythonNode& expression) const {
  bool asks = false;
  visit_nodes(expression, [&](const PythonNode& node) {
    if (asks) return;
    if (node.is("Name") || node.is("Attribute")) {
      asks = made_.count(node.word) > 0;
      if (node.is("Attribute") && node.word == "__version__") {
        const std::string root = first_part(dotted_name(node.one("value")));
        asks = asks || provided_.count(root) || is_module(root, provider_);
      }
      return;
    }
    if (!node.is("Call")) return;
    const std::string& called = node.one("func").word;
    for (const PythonNode& argument : node.all("args")) {
      if (argument.is("Text")) asks = asks || same_package(argument.word, provider_.package);
      const std::string root = first_part(dotted_name(argument));
      asks = asks || (looks_inside(called) && provided_.count(root));
    }
    if (called == "import_module" || called == "__import__") asks = false;
  });
  return asks;
}

void VersionTests::take_target(const PythonNode& target) {
  if (target.is("Name") || target.is("Attribute")) made_.insert(target.word);
  if (target.is("Subscript")) take_target(target.one("value"));
  if (target.is("Starred")) take_target(target.one("value"));
  for (const PythonNode& part : target.all("elts")) take_target(part);
}

// depends: what stands here is done or not by a version test.
void VersionTests::take(const std::vector<PythonNode>& body, bool depends) {
  for (const PythonNode& statement : body) {
    visit_expressions(statement, [&](const PythonNode& one) {
      if (one.is("NamedExpr") && is_one(one.one("value"))) take_target(one.one("target"));
    });
    const bool is_for = statement.is("For") || statement.is("AsyncFor");
    const PythonNode& value = statement.one(is_for ? "iter" : "value");
    if ((depends && says_the_way(value)) || (value && is_one(value))) {
      for (const char* field : {"targets", "target"}) {
        for (const PythonNode& target : statement.all(field)) take_target(target);
      }
    }
    // V.append(part)
    const PythonNode& changed = value.one("func").one("value");
    if (statement.is("Expr") && value.is("Call") && changed.is("Name") && is_one(value)) take_target(changed);
    bool inside = depends;
    if (statement.is("If") || statement.is("While")) inside = inside || is_one(statement.one("test"));
    if (statement.is("Match")) inside = inside || is_one(statement.one("subject"));
    if (statement.is_function()) {
      bool returns = false;
      visit_statements(statement.all("body"), [&](const PythonNode& one) {
        returns = returns || (one.is("Return") && one.one("value") && is_one(one.one("value")));
        const bool tests = (one.is("If") && is_one(one.one("test"))) || (one.is("Match") && is_one(one.one("subject")));
        returns = returns || (tests && returns_the_way(one.all("body")));
      });
      if (returns) made_.insert(statement.word);
      inside = false;
    }
    for (const auto& [field, nodes] : statement.fields) {
      if (is_block(field)) take(nodes, inside);
    }
  }
}

}  // namespace ropewalk
