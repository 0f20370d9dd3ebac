#include "lib/compat/version_tests.h"

#include <algorithm>

#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

bool is_among(const std::string& word, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* one) { return word == one; });
}

bool looks_inside(const std::string& called) {
  return is_among(
      called, {"signature", "from_callable", "getfullargspec", "getargspec", "getsource", "getsourcelines", "getdoc",
               "getmembers", "get_annotations", "get_type_hints", "hasattr", "getattr", "dir", "vars", "help"});
}

// What gives a function back that does the same, or tells nothing of it.
bool wraps(const std::string& called) {
  return is_among(called, {"partial", "compile", "jit", "script", "wraps", "cache", "lru_cache", "disable", "register",
                           "print", "callable", "isinstance", "id"});
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
  return is_among(method, {"append", "extend", "insert", "add", "update", "setdefault"});
}
// The same, and those after which they hold them no longer.
bool changes(const std::string& method) {
  return takes_in(method) || is_among(method, {"discard", "remove", "clear", "difference_update"});
}

// What a version is made with says nothing but which version is meant: Version(wanted).
bool makes_version(const PythonNode& node) {
  return node.is("Call") && is_among(node.one("func").word, {"Version", "PkgVersion", "parse", "parse_version",
                                                             "LooseVersion", "StrictVersion"});
}

bool is_list_of_distributions(const std::string& path) {
  return is_among(path, {"importlib.metadata.distributions", "importlib_metadata.distributions",
                         "importlib.metadata.Distribution", "pkg_resources.working_set", "pkg_resources.WorkingSet"});
}

// What starts another program.
bool starts_program(const std::string& called) {
  return is_among(called, {"run", "check_output", "getoutput", "getstatusoutput", "Popen", "popen"});
}

// Whether the texts that a call is given are a command that lists what is installed: `pip list`.
bool has_command_that_lists(const PythonNode& call) {
  std::set<std::string> words;
  visit_nodes(call, [&](const PythonNode& one) {
    if (one.is("Text")) words.merge(names_of_words(one.word));
  });
  return words.count("pip") && (words.count("list") || words.count("show") || words.count("freeze"));
}

using Origin = OwnModules::Origin;

std::string first_part(const std::string& dotted) { return dotted.substr(0, dotted.find('.')); }

bool is_constant(const PythonNode& value) { return value.is("Constant") || value.is("Number") || value.is("Text"); }

// A value that says which way was taken: a constant or a truth, no result.
bool says_the_way(const PythonNode& value) {
  return is_constant(value) || value.is("Compare") || value.is("BoolOp") || value.is("UnaryOp");
}

// A value that is a test itself, and not the version that tests ask for.
bool is_test(const PythonNode& value) {
  return value.is("Compare") || value.is("BoolOp") || value.is("IfExp") || (value.is("UnaryOp") && value.word == "Not");
}

}  // namespace

bool VersionTests::is_way(const PythonNode& value) const { return value && (says_the_way(value) || is_neutral(value)); }

bool VersionTests::returns_the_way(const std::vector<PythonNode>& body) const {
  bool found = false;
  visit_statements(body, [&](const PythonNode& statement) {
    const PythonNode &value = statement.one("value"), &yielded = value.one("value");
    found = found || (statement.is("Return") && is_way(value)) || (value.is("Yield") && is_way(yielded));
  });
  return found;
}

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
          if (!import.whole && is_function(name, provider_)) functions_.insert(alias);
        } else {
          imported_[alias] = {AbstractValue::Kind::Imported, import.whole ? "" : name, module, &file};
        }
      }
    }
  });
  collect(file.statements);
  const auto known = [&] {
    return provided_.size() + made_.size() + versions_.size() + refusing_.size() + may_be_.size() + neutral_.size();
  };
  for (size_t before = ~size_t(0); before != known();) {
    before = known();
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
        const PythonNode& value = statement.one("value");
        const bool is_package = value.is("Text") && same_package(value.word, provider_.package);
        if (is_package && target.is("Name")) package_names_.insert(target.word);
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
    if (lists_distributions(node)) return true;
    const bool is_special = node.is("Attribute") && node.word.starts_with("__") && node.word.ends_with("__");
    return is_special && is_provided(node.one("value"));
  }
  if (!node.is("Call")) return false;
  if (starts_program(node.one("func").word) && has_command_that_lists(node)) return true;
  const std::string& called = node.one("func").word;
  if (called == "import_module" || called == "__import__") return false;
  for (const PythonNode& argument : node.all("args")) {
    if (argument.is("Text") ? same_package(argument.word, provider_.package) : package_names_.count(argument.word)) {
      return true;
    }
    if (looks_inside(called) && provided_.count(first_part(dotted_name(argument)))) return true;
  }
  return hands_over(node);
}

bool VersionTests::is_provided(const PythonNode& node) const {
  const std::string root = first_part(dotted_name(node));
  if (!root.empty()) return provided_.count(root) || is_module(root, provider_);
  const PythonNode& name = node.is("Subscript") ? node.one("slice") : node.one("args");
  const bool looks_up = node.is("Subscript") ? node.one("value").word == "modules"
                                             : is_among(node.one("func").word, {"import_module", "__import__"});
  return looks_up && name.is("Text") && is_module(name.word, provider_);
}

bool VersionTests::lists_distributions(const PythonNode& node) const {
  const std::string name = dotted_name(node);
  if (node.is("Name")) {
    const auto found = imported_.find(name);
    return found != imported_.end() && is_list_of_distributions(found->second.module + "." + found->second.name);
  }
  const size_t dot = name.rfind('.');
  const auto owner = dot == std::string::npos ? imported_.end() : imported_.find(name.substr(0, dot));
  if (owner == imported_.end()) return false;
  const std::string above = owner->second.name.empty() ? "" : "." + owner->second.name;
  return is_list_of_distributions(owner->second.module + above + name.substr(dot));
}

bool VersionTests::hands_over(const PythonNode& call) const {
  const PythonNode& callee = call.one("func");
  const auto is_function = [&](const PythonNode& one) { return one.is("Name") && functions_.count(one.word) > 0; };
  if (!call.all("keywords").empty() || std::ranges::none_of(call.all("args"), is_function)) return false;
  if (wraps(callee.word) || provided_.count(first_part(dotted_name(callee)))) return false;
  return std::ranges::all_of(call.all("args"),
                             [&](const PythonNode& one) { return is_function(one) || is_neutral(one); });
}

bool VersionTests::is_neutral(const PythonNode& value) const {
  if (makes_version(value)) return true;
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
  if (value.is("Subscript")) {
    return of_one(value.one("value")) || (of_one(value.one("slice")) && is_neutral(value.one("value")));
  }
  if (value.is("IfExp")) {
    const PythonNode &yes = value.one("body"), &no = value.one("orelse");
    return of_one(yes) || of_one(no) || (is_one(value.one("test")) && is_way(yes) && is_way(no));
  }
  if (value.is_comprehension()) return chooses(value);
  if (value.is("Call") || !value.all("elts").empty()) return is_put_together(value);
  return std::ranges::any_of(value.fields,
                             [&](const auto& field) { return std::ranges::any_of(field.second, of_one); });
}

bool VersionTests::is_put_together(const PythonNode& value) const {
  const PythonNode& callee = value.one("func");
  const bool looks_up = callee.is("Subscript") || callee.is("IfExp");
  if (value.is("Call") && !looks_up && is_made_of_one(callee)) return true;
  if (callee.is("Name") && functions_.count(callee.word)) return false;  // what the provider computes is data
  bool of_some = false, of_others = false, of_version = false;
  const auto add = [&](const PythonNode& part) {
    const bool made = is_made_of_one(part);
    of_some |= made;
    of_version |= made && is_version(part);
    of_others |= !made && !is_neutral(part);
  };
  if (looks_up) add(callee);
  for (const PythonNode& part : value.all(value.is("Call") ? "args" : "elts")) add(part);
  for (const PythonNode& keyword : value.all("keywords")) add(keyword.one("value"));
  return (of_version && value.is("Call")) || (of_some && !of_others);
}

bool VersionTests::is_version(const PythonNode& value) const {
  if (is_test(value)) return false;
  if (value.is("Name")) return versions_.count(value.word) > 0 || !made_.count(value.word);
  if (value.is("Call") && !makes_version(value)) {
    const std::string& called = value.one("func").word;
    return !made_.count(called) || versions_.count(called) > 0;
  }
  return true;
}

bool VersionTests::chooses(const PythonNode& comprehension) const {
  bool of_data = false, of_one = false;
  for (const PythonNode& loop : comprehension.all("generators")) {
    if (is_made_of_one(loop.one("iter"))) return true;
    of_data = of_data || !is_neutral(loop.one("iter"));
    of_one = of_one || std::ranges::any_of(loop.all("ifs"), [&](const PythonNode& test) { return is_one(test); });
  }
  for (const char* field : {"elt", "key", "value"}) {
    of_one = of_one || (comprehension.one(field) && is_made_of_one(comprehension.one(field)));
  }
  return of_one && !of_data;
}

void VersionTests::take_target(const PythonNode& target, std::set<std::string>& into) {
  if (target.is("Attribute") || (target.is("Name") && !parameters_.count(target.word))) into.insert(target.word);
  if (target.is("Subscript")) take_target(target.one("value"), into);
  // globals()["NEW"]
  if (target.one("value").is("Call") && target.one("slice").is("Text")) into.insert(target.one("slice").word);
  if (target.is("Starred")) take_target(target.one("value"), into);
  for (const PythonNode& part : target.all("elts")) take_target(part, into);
}

void VersionTests::take_value(const PythonNode& statement, bool depends) {
  const bool is_for = statement.is("For") || statement.is("AsyncFor");
  const PythonNode& value = statement.one(is_for ? "iter" : "value");
  if (!value) return;
  const bool made = is_made_of_one(value), says = depends && says_the_way(value);
  const bool may_be = !made && !says && may_be_one(value), neutral = !made && !says && !may_be && is_neutral(value);
  const auto take_name = [&](const PythonNode& name) {
    if (made || says || (depends && neutral)) take_target(name, made_);
    if (made && is_version(value)) take_target(name, versions_);
    if (may_be) take_target(name, may_be_);
    // A name that is given other things as well is data.
    if (neutral && given_[name.word] == 1) neutral_.insert(name.word);
  };
  for (const char* field : {"targets", "target"}) {
    for (const PythonNode& target : statement.all(field)) {
      for (const PythonNode& part : target.all("elts")) {
        if (part.is("Name")) take_name(part);
      }
      if (target.is("Name")) {
        if (value.is("Call") && is_provided(value)) provided_.insert(target.word);
        take_name(target);
      } else if (made || says || (depends && neutral && target.is("Subscript"))) {
        take_target(target, made_);
      }
    }
  }
  take_change(statement, depends);
}

// V.append(part), setattr(flags, "new", V >= "2.6")
void VersionTests::take_change(const PythonNode& statement, bool depends) {
  for (const auto& [name, given] : globals_given(statement)) {
    if (is_made_of_one(*given) || (depends && is_way(*given))) made_.insert(name);
  }
  const PythonNode &value = statement.one("value"), &method = value.one("func"), &changed = method.one("value");
  if (!statement.is("Expr") || !value.is("Call")) return;
  const std::vector<PythonNode>& given = value.all("args");
  if (method.word == "setattr" && given.size() == 3 && given[1].is("Text")) {
    if (is_made_of_one(given[2]) || (depends && is_way(given[2]))) made_.insert(given[1].word);
  }
  const bool chosen =
      depends && changes(method.word) && std::ranges::all_of(given, [&](const PythonNode& one) { return is_way(one); });
  const bool takes = takes_in(method.word) && is_made_of_one(value);
  if (changed.is("Name") && (chosen || takes)) take_target(changed, made_);
}

// Whether the function gives back what a version test decides.
bool VersionTests::tells_the_way(const PythonNode& function) const {
  bool tells = false;
  visit_statements(function.all("body"), [&](const PythonNode& one) {
    tells = tells || (one.is("Return") && one.one("value") && is_made_of_one(one.one("value")));
    if (!decides(one)) return;
    for (const char* field : {"body", "orelse", "handlers", "cases"}) tells = tells || returns_the_way(one.all(field));
  });
  return tells;
}

bool VersionTests::raises_by_version(const PythonNode& function) const {
  bool raises = false;
  visit_statements(function.all("body"), [&](const PythonNode& one) {
    raises = raises || (one.is("Assert") && is_one(one.one("test")));
    if (!decides(one)) return;
    visit_statements({one}, [&](const PythonNode& inner) { raises = raises || inner.is("Raise"); });
  });
  return raises;
}

bool VersionTests::ends_by_version(const PythonNode& function) const {
  bool ends = false;
  visit_statements(function.all("body"), [&](const PythonNode& one) {
    ends = ends || (one.is("Assert") && is_one(one.one("test")));
    if (ends || !decides(one)) return;
    visit_statements({one}, [&](const PythonNode& inner) {
      const PythonNode& call = inner.one("value");
      const bool leaves = inner.is("Expr") && is_among(call.one("func").word, {"exit", "_exit", "abort", "quit", "skip",
                                                                               "fail", "xfail", "skipTest"});
      ends = ends || leaves || inner.is("Raise") || inner.is("Return") || inner.is("Assert");
    });
  });
  return ends;
}

// A call in a try tells by an error what the provider takes: flash_attn_func(q, q, q, softcap=0.0).
bool VersionTests::probes(const PythonNode& statement) const {
  if (!statement.is("Try") || statement.all("handlers").empty()) return false;
  return std::ranges::any_of(statement.all("body"), [&](const PythonNode& one) {
    bool found = false;
    visit_expressions(one, [&](const PythonNode& node) {
      const PythonNode& callee = node.one("func");
      const bool is_call = node.is("Call") && !dotted_name(callee).empty();
      const std::string root = first_part(dotted_name(callee));
      found = found || (is_call && (provided_.count(root) || refusing_.count(callee.word) || asks_inside(callee)));
      found = found || (node.is("Subscript") && asks_inside(node.one("value")));
    });
    return found;
  });
}

bool VersionTests::decides(const PythonNode& statement) const {
  if (statement.is("If") || statement.is("While")) return is_one(statement.one("test"));
  if (statement.is("For")) return is_one(statement.one("iter"));
  if (statement.is("Match")) return is_one(statement.one("subject"));
  return probes(statement);
}

// depends: what stands here is done or not by a version test.
void VersionTests::take(const std::vector<PythonNode>& body, bool depends) {
  for (const PythonNode& statement : body) {
    visit_expressions(statement, [&](const PythonNode& one) {
      if (one.is("NamedExpr") && is_made_of_one(one.one("value"))) take_target(one.one("target"), made_);
    });
    take_value(statement, depends);
    const bool inside = !statement.is_function() && (depends || decides(statement));
    if (statement.is_function()) {
      const bool is_other = depends && returns_the_way(statement.all("body"));
      if (is_other || tells_the_way(statement)) made_.insert(statement.word);
      if (raises_by_version(statement)) refusing_.insert(statement.word);
      for (const PythonNode& parameter : statement.all("parameters")) {
        if (parameter.one("default") && is_made_of_one(parameter.one("default"))) made_.insert(parameter.word);
      }
    }
    for (const auto& [field, nodes] : statement.fields) {
      if (is_block(field)) take(nodes, inside);
    }
  }
}

}  // namespace ropewalk::compat
