#include "lib/compat/version_tests.h"

#include <algorithm>

#include "lib/compat/relevant.h"

namespace ropewalk {
namespace {

bool is_among(const std::string& word, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* one) { return word == one; });
}

bool looks_inside(const std::string& called) {
  return is_among(
      called, {"signature", "from_callable", "getfullargspec", "getargspec", "getsource", "getsourcelines", "getdoc",
               "getmembers", "get_annotations", "get_type_hints", "hasattr", "getattr", "dir", "vars", "help"});
}

// Built-in functions of Python that tests are made with.
bool is_built_in(const std::string& name) {
  return is_among(name, {"abs",    "all",   "any",       "bool",    "callable", "dict",    "dir",        "enumerate",
                         "filter", "float", "frozenset", "getattr", "hasattr",  "int",     "isinstance", "issubclass",
                         "len",    "list",  "map",       "max",     "min",      "next",    "object",     "print",
                         "range",  "repr",  "reversed",  "set",     "sorted",   "str",     "sum",        "super",
                         "tuple",  "type",  "vars",      "zip",     "__name__", "__file__"});
}

// Methods of lists, sets and dictionaries after which they hold their arguments.
bool takes_in(const std::string& method) {
  return method == "append" || method == "extend" || method == "insert" || method == "add" || method == "update" ||
         method == "setdefault";
}

using Origin = OwnModules::Origin;

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

VersionTests::VersionTests(const PythonFile& file, const OwnModules& modules)
    : file_(file), modules_(modules), provider_(modules.provider()) {
  visit_statements(file.statements, [&](const PythonNode& statement) {
    for (const PythonNode& parameter : statement.all("parameters")) parameters_.insert(parameter.word);
    for (const Import& import : imports_of(statement)) {
      const bool provided = is_module(first_part(import.module), provider_);
      const std::string module = absolute_module(import.module, file);
      if (import.whole && import.names.empty()) {
        if (provided) provided_.insert(first_part(module));
        if (!provided) imported_[module] = {AbstractValue::Kind::Imported, "", module, &file};
      }
      for (const auto& [name, alias] : import.names) {
        if (name == "*") {
          if (!provided) stars_.insert(module);
        } else if (provided) {
          (name.find("version") == std::string::npos || import.whole ? provided_ : made_).insert(alias);
        } else {
          imported_[alias] = {AbstractValue::Kind::Imported, import.whole ? "" : name, module, &file};
        }
      }
    }
  });
  collect(file.statements);
  for (size_t before = ~size_t(0); before != made_.size() + may_be_.size() + neutral_.size();) {
    before = made_.size() + may_be_.size() + neutral_.size();
    take(file.statements, false);
  }
}

void VersionTests::collect(const std::vector<PythonNode>& body) {
  bound_ = assigned_names(body);
  visit_statements(body, [&](const PythonNode& statement) {
    if (statement.is_function() || statement.is("ClassDef")) neutral_.insert(statement.word);
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) {
        visit_nodes(target, [&](const PythonNode& one) { given_[one.word] += one.is("Name"); });
      }
    }
    if (statement.is("ExceptHandler") && !statement.word.empty()) bound_.insert(statement.word);
  });
  for (const auto& [name, value] : imported_) bound_.erase(name);
}

OwnModules::Origin VersionTests::origin_of(const PythonNode& node) const {
  const std::string name = dotted_name(node);
  const auto found = imported_.find(name);
  if (found != imported_.end() && !parameters_.count(name)) return modules_.origin_of(found->second);
  if (node.is("Name")) return origin_of_star(name);
  const std::string root = first_part(name);
  const auto owner = imported_.find(root);
  if (!node.is("Attribute") || owner == imported_.end() || parameters_.count(root)) return Origin::Other;
  // Modules below modules, then attributes of what is imported from there: `utils.flags.HAS_SOFTCAP`.
  AbstractValue value = owner->second;
  std::string rest = name.substr(root.size() + 1);
  for (; rest.find('.') != std::string::npos; rest.erase(0, rest.find('.') + 1)) {
    const std::string part = rest.substr(0, rest.find('.'));
    const AbstractValue module = modules_.module_of(value);
    if (module.kind != AbstractValue::Kind::Unknown)
      value = {AbstractValue::Kind::Imported, part, module.module, &file_};
  }
  const AbstractValue module = modules_.module_of(value);
  if (module.kind == AbstractValue::Kind::Unknown) return modules_.origin_of_attribute(value, rest, 0);
  return modules_.origin_of({AbstractValue::Kind::Imported, rest, module.module, &file_});
}

OwnModules::Origin VersionTests::origin_of_star(const std::string& name) const {
  Origin origin = Origin::Other;
  if (stars_.empty() || bound_.count(name) || parameters_.count(name) || provided_.count(name) || is_built_in(name)) {
    return origin;
  }
  for (const std::string& module : stars_) {
    const Origin one = modules_.origin_of({AbstractValue::Kind::Imported, name, module, &file_});
    if (one == Origin::Version) return one;
    if (one == Origin::NotThere) origin = one;
  }
  return origin;
}

bool VersionTests::is_made(const std::string& name) const {
  const auto found = imported_.find(name);
  if (made_.count(name)) return true;
  const Origin origin = found != imported_.end() ? modules_.origin_of(found->second) : origin_of_star(name);
  return origin == Origin::Version;
}

const AbstractValue* VersionTests::import_of(const std::string& name) const {
  const auto found = imported_.find(name);
  return found == imported_.end() ? nullptr : &found->second;
}

bool VersionTests::asks(const PythonNode& node) const {
  if (node.is("Name") || node.is("Attribute")) {
    if (made_.count(node.word) || origin_of(node) == Origin::Version) return true;
    if (!node.is("Attribute")) return false;
    const std::string root = first_part(dotted_name(node.one("value")));
    const bool is_root = !root.empty() && (provided_.count(root) || is_module(root, provider_));
    return is_root && node.word.starts_with("__") && node.word.ends_with("__");
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

bool VersionTests::is_neutral(const PythonNode& value) const {
  bool neutral = true;
  visit_nodes(value, [&](const PythonNode& node) {
    if (!node.is("Name")) return;
    const bool data = parameters_.count(node.word) || (bound_.count(node.word) && !neutral_.count(node.word));
    neutral = neutral && !data && !provided_.count(node.word);
  });
  return neutral;
}

bool VersionTests::may_be_one(const PythonNode& value) const {
  bool not_there = false, others = false;
  visit_nodes(value, [&](const PythonNode& node) {
    if (node.is("Name") && may_be_.count(node.word)) {
      not_there = true;
    } else if (node.is("Name")) {
      others = others || !is_neutral(node);
    }
    not_there = not_there || origin_of(node) == Origin::NotThere;
  });
  return not_there && !others;
}

bool VersionTests::asks_inside(const PythonNode& node) const {
  bool found = false;
  visit_nodes(node, [&](const PythonNode& one) { found = found || asks(one); });
  return found;
}

bool VersionTests::is_one(const PythonNode& expression) const {
  if (asks_inside(expression)) return true;
  if (expression.is("BoolOp")) {
    return std::ranges::any_of(expression.all("values"), [&](const PythonNode& part) { return is_one(part); });
  }
  return may_be_one(expression);
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
    of_others |= !made && !is_neutral(part);
  };
  for (const PythonNode& part : value.all(value.is("Call") ? "args" : "elts")) add(part);
  for (const PythonNode& keyword : value.all("keywords")) add(keyword.one("value"));
  if (is_put_together) return of_some && !of_others;
  return std::ranges::any_of(value.fields,
                             [&](const auto& field) { return std::ranges::any_of(field.second, of_one); });
}

void VersionTests::take_target(const PythonNode& target, std::set<std::string>& into) {
  if (target.is("Attribute") || (target.is("Name") && !parameters_.count(target.word))) into.insert(target.word);
  if (target.is("Subscript")) take_target(target.one("value"), into);
  if (target.is("Starred")) take_target(target.one("value"), into);
  for (const PythonNode& part : target.all("elts")) take_target(part, into);
}

// depends: what stands here is done or not by a version test.
void VersionTests::take(const std::vector<PythonNode>& body, bool depends) {
  for (const PythonNode& statement : body) {
    visit_expressions(statement, [&](const PythonNode& one) {
      if (one.is("NamedExpr") && is_made_of_one(one.one("value"))) take_target(one.one("target"), made_);
    });
    const bool is_for = statement.is("For") || statement.is("AsyncFor");
    const PythonNode& value = statement.one(is_for ? "iter" : "value");
    const bool made = (depends && says_the_way(value)) || (value && is_made_of_one(value));
    const bool may_be = value && !made && may_be_one(value), neutral = value && !made && !may_be && is_neutral(value);
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) {
        if (made) take_target(target, made_);
        if (may_be && target.is("Name")) take_target(target, may_be_);
        // A name that is given other things as well is data.
        if (neutral && target.is("Name") && given_[target.word] == 1) neutral_.insert(target.word);
      }
    }
    // V.append(part)
    const PythonNode &method = value.one("func"), &changed = method.one("value");
    if (statement.is("Expr") && takes_in(method.word) && changed.is("Name") && is_made_of_one(value)) {
      take_target(changed, made_);
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
