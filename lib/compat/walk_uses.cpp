// What becomes of the provider's names beside calls of them: those that this version does not have, and functions that
// are handed on.
#include <algorithm>

#include "lib/compat/module_names.h"
#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

using Kind = AbstractValue::Kind;

// Built-in and library functions that only look at a function that they are given.
bool only_looks(const std::string& called) {
  for (const char* name : {"signature", "getfullargspec", "hasattr", "getattr", "callable", "bool", "isinstance", "id",
                           "print", "repr", "str", "type", "getsource", "getfile", "is_compiling"}) {
    if (called == name) return true;
  }
  return false;
}

// Whether the function does nothing else with its parameter at the position than to look at it.
bool looks_at(const PythonNode& definition, size_t position) {
  const std::vector<PythonNode>& parameters = definition.all("parameters");
  if (position >= parameters.size()) return false;
  size_t named = 0, looked = 0;
  for (const PythonNode& statement : definition.all("body")) {
    visit_nodes(statement, [&](const PythonNode& node) {
      named += node.is("Name") && node.word == parameters[position].word;
      const bool looks = node.is("Call") && only_looks(node.one("func").word);
      looked += looks && node.one("args").is("Name") && node.one("args").word == parameters[position].word;
    });
  }
  return named == looked;
}

// What a comprehension computes again and again, or a lambda when it is called.
template <class Visit>
void visit_parts_of(const PythonNode& scope, const Visit& visit) {
  for (const char* field : {"body", "elt", "key", "value"}) {
    if (scope.one(field)) visit(scope.one(field));
  }
  for (const PythonNode& loop : scope.all("generators")) {
    if (&loop != &scope.one("generators")) visit(loop.one("iter"));
    for (const PythonNode& test : loop.all("ifs")) visit(test);
  }
}

// Whether a text of the file, that no call is given, is the name of one of the provider's modules.
bool names_module_as_text(const PythonFile& file, const ProviderView& provider) {
  std::set<const PythonNode*> given;
  bool found = false;
  const auto visit = [&](const PythonNode& node) {
    for (const PythonNode& one : node.is("Call") ? node.all("args") : std::vector<PythonNode>{}) given.insert(&one);
    found = found || (node.is("Text") && !given.count(&node) && is_module(node.word, provider));
  };
  for (const PythonNode& statement : file.statements) visit_nodes(statement, visit);
  return found;
}

}  // namespace

void CallWalk::miss(const std::string& module, const std::string& name, u64 line, bool imported,
                    const PythonState& state) {
  const bool is_caught = caught_.count(imported ? "ImportError" : "AttributeError") > 0;
  // The file may have given it to the module itself.
  const bool is_own = !imported && attributes_given_.count(name);
  if (is_caught || is_own || !lacks(provider_, module, name)) return;
  const std::string unclear = state.why_unclear();
  for (MissingName& known : result_.missing) {
    if (known.name != name || known.line != line) continue;
    if (unclear.empty()) known.unclear.clear();
    return;
  }
  result_.missing.push_back({module, name, file_.path, line, scope_, imported, unclear});
}

bool CallWalk::is_version_test(const PythonNode& condition, const PythonState& state) const {
  if (condition.is("BoolOp")) {
    return std::ranges::any_of(condition.all("values"), [&](const PythonNode& part) {
      return !conditions_.truth_of(part, state) && is_version_test(part, state);
    });
  }
  if (condition.is("UnaryOp") && condition.word == "Not") return is_version_test(condition.one("operand"), state);
  if (condition.is("Name") && state.at_run_time.count(condition.word)) return false;
  if (condition.is("IfExp")) {
    const std::optional<bool> truth = conditions_.truth_of(condition.one("test"), state);
    if (truth) return is_version_test(condition.one(*truth ? "body" : "orelse"), state);
  }
  const VersionTests* const tests = modules_.tests_of(file_);
  return tests && tests->is_one(condition);
}

void CallWalk::note_unclear(const PythonNode& condition, PythonState& state) {
  if (is_version_test(condition, state)) state.unclear.insert(condition.text);
}

void CallWalk::lose(const std::string& function, const PythonNode& node) {
  const LostFunction lost{function, file_.path, node.line, expression_.empty() ? node.text : expression_};
  const bool known = std::find(result_.lost.begin(), result_.lost.end(), lost) != result_.lost.end();
  if (!known) result_.lost.push_back(lost);
}

void CallWalk::find_lookup(const PythonNode& node, const PythonState& state) {
  const std::optional<Lookup> found = conditions_.lookup(node, state);
  if (!found) return;
  const AbstractValue module = found->object ? conditions_.named(*found->object, state) : AbstractValue{};
  if (!found->name) {
    if (found->object ? module.kind == Kind::Module : names_module_as_text(file_, provider_)) lose("", node);
  } else if (module.kind == Kind::Module && !found->otherwise &&
             !defining_module(module.name, *found->name, provider_)) {
    miss(module.name, *found->name, node.line, false, state);
  }
}

void CallWalk::find_uses_of_names(const PythonNode& node, const PythonState& state, bool kept) {
  find_lookup(node, state);
  const bool is_call = node.is("Call") && conditions_.named(node, state).kind == Kind::Function;
  if (node.is("Name") || node.is("Attribute") || is_call) {
    const AbstractValue module = node.is("Attribute") ? conditions_.named(node.one("value"), state) : AbstractValue{};
    if (module.kind == Kind::Module) miss(module.name, node.word, node.line, false, state);
    const AbstractValue value = conditions_.named(node, state);
    if (value.kind == Kind::Function) {
      if (!kept) lose(value.name, node);
    } else if (node.is("Attribute")) {
      find_uses_of_names(node.one("value"), state, true);
    }
    return;
  }
  const bool tests = node.is("Compare") || node.is("UnaryOp");
  if (node.is("Call")) {
    find_uses_of_names(node.one("func"), state, true);
    const bool looks = only_looks(node.one("func").word);
    const bool is_followed = kept && node.one("func").word == "partial";
    // A function of the sources may do no more than that.
    const auto is_looked_at = [&](const PythonNode& one) {
      if (!one.is("Name") || conditions_.named(one, state).kind != Kind::Function) return false;
      const AbstractValue maker = conditions_.named(node.one("func"), state);
      return maker.kind == Kind::Defined && looks_at(*maker.definition, size_t(&one - node.all("args").data()));
    };
    for (const PythonNode& one : node.all("args")) {
      const bool is_first = &one == &node.one("args");
      find_uses_of_names(one, state, looks || (is_followed && is_first) || is_looked_at(one));
    }
    for (const PythonNode& one : node.all("keywords")) find_uses_of_names(one, state, looks);
    return;
  }
  if (node.is("IfExp")) {
    find_uses_of_names(node.one("test"), state, true);
    const std::optional<bool> truth = conditions_.truth_of(node.one("test"), state);
    for (const bool way : {true, false}) {
      if (!truth || *truth == way) find_uses_of_names(node.one(way ? "body" : "orelse"), state, kept && truth);
    }
    return;
  }
  if (const std::set<std::string> own = own_names(node); !own.empty()) {
    PythonState inside = state;
    for (const std::string& name : own) inside.set(name, {});
    // What the first loop goes through stands outside.
    find_uses_of_names(node.one("generators").one("iter"), state, false);
    visit_parts_of(node, [&](const PythonNode& part) { find_uses_of_names(part, inside, false); });
    return;
  }
  const bool passes = tests || (kept && (node.is("Tuple") || node.is("BoolOp")));
  for (const auto& [field, nodes] : node.fields) {
    for (const PythonNode& one : nodes) find_uses_of_names(one, state, passes);
  }
}

}  // namespace ropewalk::compat
