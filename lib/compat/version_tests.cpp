#include "lib/compat/version_tests.h"

#include <algorithm>

#include "lib/compat/relevant.h"

namespace ropewalk {
namespace {

bool looks_inside(const std::string& called) {
  return called == "signature" || called == "getfullargspec" || called == "getargspec" || called == "hasattr" ||
         called == "getattr" || called == "dir" || called == "vars";
}

// Methods of lists, sets and dictionaries after which they hold their arguments.
bool takes_in(const std::string& method) {
  return method == "append" || method == "extend" || method == "insert" || method == "add" || method == "update" ||
         method == "setdefault";
}

std::string first_part(const std::string& dotted) { return dotted.substr(0, dotted.find('.')); }

bool is_constant(const PythonNode& value) { return value.is("Constant") || value.is("Number") || value.is("Text"); }

// A value that says which way was taken: a constant or a truth, no result.
bool says_the_way(const PythonNode& value) {
  return is_constant(value) || value.is("Compare") || value.is("BoolOp") || value.is("UnaryOp");
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
    for (const PythonNode& parameter : statement.all("parameters")) parameters_.insert(parameter.word);
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

bool VersionTests::asks(const PythonNode& node) const {
  if (node.is("Name") || node.is("Attribute")) {
    if (made_.count(node.word)) return true;
    if (!node.is("Attribute") || node.word != "__version__") return false;
    const std::string root = first_part(dotted_name(node.one("value")));
    return provided_.count(root) || is_module(root, provider_);
  }
  if (!node.is("Call")) return false;
  const std::string& called = node.one("func").word;
  if (called == "import_module" || called == "__import__") return false;
  for (const PythonNode& argument : node.all("args")) {
    if (argument.is("Text") && same_package(argument.word, provider_.package)) return true;
    if (looks_inside(called) && provided_.count(first_part(dotted_name(argument)))) return true;
  }
  return false;
}

bool VersionTests::is_one(const PythonNode& expression) const {
  bool found = false;
  visit_nodes(expression, [&](const PythonNode& node) { found = found || asks(node); });
  return found;
}

bool VersionTests::is_made_of_one(const PythonNode& value) const {
  if (asks(value)) return true;
  const auto of_one = [&](const PythonNode& node) { return is_made_of_one(node); };
  if (value.is("Subscript")) return of_one(value.one("value"));
  if (value.is("IfExp")) {
    const PythonNode &yes = value.one("body"), &no = value.one("orelse");
    return of_one(yes) || of_one(no) || (is_one(value.one("test")) && says_the_way(yes) && says_the_way(no));
  }
  if (value.is("GeneratorExp") || value.is("ListComp") || value.is("SetComp")) {
    return std::ranges::any_of(value.all("generators"), [&](const PythonNode& one) { return of_one(one.one("iter")); });
  }
  if (value.is("Call") && of_one(value.one("func"))) return true;
  // Of what is put together, in a call or a display, all is one or a constant.
  bool of_some = false, of_others = false, is_put_together = false;
  const auto add = [&](const PythonNode& part) {
    is_put_together = true;
    const bool made = of_one(part);
    of_some |= made;
    of_others |= !made && !is_constant(part);
  };
  for (const PythonNode& part : value.all(value.is("Call") ? "args" : "elts")) add(part);
  for (const PythonNode& keyword : value.all("keywords")) add(keyword.one("value"));
  if (is_put_together) return of_some && !of_others;
  return std::ranges::any_of(value.fields,
                             [&](const auto& field) { return std::ranges::any_of(field.second, of_one); });
}

void VersionTests::take_target(const PythonNode& target) {
  if (target.is("Attribute") || (target.is("Name") && !parameters_.count(target.word))) made_.insert(target.word);
  if (target.is("Subscript")) take_target(target.one("value"));
  if (target.is("Starred")) take_target(target.one("value"));
  for (const PythonNode& part : target.all("elts")) take_target(part);
}

// depends: what stands here is done or not by a version test.
void VersionTests::take(const std::vector<PythonNode>& body, bool depends) {
  for (const PythonNode& statement : body) {
    visit_expressions(statement, [&](const PythonNode& one) {
      if (one.is("NamedExpr") && is_made_of_one(one.one("value"))) take_target(one.one("target"));
    });
    const bool is_for = statement.is("For") || statement.is("AsyncFor");
    const PythonNode& value = statement.one(is_for ? "iter" : "value");
    if ((depends && says_the_way(value)) || (value && is_made_of_one(value))) {
      for (const char* field : {"targets", "target"}) {
        for (const PythonNode& target : statement.all(field)) take_target(target);
      }
    }
    // V.append(part)
    const PythonNode &method = value.one("func"), &changed = method.one("value");
    if (statement.is("Expr") && takes_in(method.word) && changed.is("Name") && is_made_of_one(value)) {
      take_target(changed);
    }
    bool inside = depends;
    if (statement.is("If") || statement.is("While")) inside = inside || is_one(statement.one("test"));
    if (statement.is("Match")) inside = inside || is_one(statement.one("subject"));
    if (statement.is_function()) {
      bool returns = false;
      visit_statements(statement.all("body"), [&](const PythonNode& one) {
        returns = returns || (one.is("Return") && one.one("value") && is_made_of_one(one.one("value")));
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
