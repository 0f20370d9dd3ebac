// Decorators that a source defines: whether what they make of a function ever runs it.
#include <algorithm>

#include "lib/compat/conditions.h"

namespace ropewalk::compat {
namespace {

bool calls_it(const PythonNode& statement, const std::string& name) {
  bool found = false;
  visit_expressions(statement, [&](const PythonNode& one) {
    found = found || (one.is("Call") && one.one("func").is("Name") && one.one("func").word == name);
  });
  return found;
}

// Whether the statement, or one below it, mentions the name.
bool has_name_in(const PythonNode& statement, const std::string& name) {
  bool found = false;
  visit_nodes(statement, [&](const PythonNode& one) { found = found || (one.is("Name") && one.word == name); });
  return found;
}

}  // namespace

std::optional<bool> Conditions::replaces(const PythonNode& decorator, const AbstractValue& maker,
                                         const PythonState& state) const {
  Conditions inside(*maker.file, modules_, remarks_);
  inside.depth_ = depth_ + 1;
  static const PythonNode no_call;
  std::optional<PythonState> inner = state_inside(maker, decorator.is("Call") ? decorator : no_call, state, inside);
  if (!inner) return std::nullopt;
  if (!decorator.is("Call")) return inside.is_dropped(*maker.definition, *inner);
  LocalFunctions known;
  const PythonNode* const made = inside.returned_function(maker.definition->all("body"), known, *inner);
  return made ? inside.is_dropped(*made, *inner) : std::nullopt;
}

const PythonNode* Conditions::returned_function(const std::vector<PythonNode>& body, LocalFunctions& known,
                                                PythonState& state) const {
  for (const PythonNode& statement : body) {
    if (statement.is("FunctionDef")) {
      const auto wraps = [](const PythonNode& one) { return one.is("Call") && one.one("func").word == "wraps"; };
      known[statement.word] = std::ranges::all_of(statement.all("decorator_list"), wraps) ? &statement : nullptr;
      state.values.erase(statement.word);
    } else if (statement.is("Return")) {
      const auto found = known.find(statement.one("value").word);
      return statement.one("value").is("Name") && found != known.end() ? found->second : nullptr;
    } else if (statement.is("If")) {
      const std::optional<bool> truth = truth_of(statement.one("test"), state);
      if (!truth) return nullptr;
      const std::vector<PythonNode>& taken = statement.all(*truth ? "body" : "orelse");
      if (const PythonNode* const found = returned_function(taken, known, state)) return found;
      const auto leaves = [](const PythonNode& one) { return one.is("Return") || one.is("Raise"); };
      if (std::ranges::any_of(taken, leaves)) return nullptr;
    } else if (!run_statement(statement, state, false).goes_on()) {
      return nullptr;
    }
  }
  return nullptr;
}

std::optional<bool> Conditions::is_dropped(const PythonNode& decorator, PythonState state) const {
  const std::vector<PythonNode>& parameters = decorator.all("parameters");
  if (parameters.empty()) return std::nullopt;
  const std::string& name = parameters[0].word;
  state.values.erase(name);
  // What it returns may be the function itself.
  PythonNode itself{"FunctionDef", name};
  LocalFunctions known = {{name, &itself}};
  const PythonNode* const returned = returned_function(decorator.all("body"), known, state);
  if (!returned) return std::nullopt;
  if (returned == &itself) return false;
  for (const PythonNode& parameter : returned->all("parameters")) state.values.erase(parameter.word);
  return is_never_run(returned->all("body"), name, state);
}

std::optional<bool> Conditions::is_never_run(const std::vector<PythonNode>& body, const std::string& name,
                                             PythonState& state) const {
  for (const PythonNode& statement : body) {
    const bool is_block = statement.is("If") || statement.is("With");
    if (!is_block && calls_it(statement, name)) return false;
    if (statement.is("If")) {
      const std::optional<bool> truth = truth_of(statement.one("test"), state);
      if (!truth) return std::nullopt;
      const std::vector<PythonNode>& taken = statement.all(*truth ? "body" : "orelse");
      if (taken.empty()) continue;
      if (const auto known = is_never_run(taken, name, state)) return known;
      const auto leads_on = [&](const PythonNode& one) { return !has_name_in(one, name) && !one.is("Return"); };
      if (!std::ranges::all_of(taken, leads_on)) return std::nullopt;
      continue;
    }
    if (statement.is("With")) {
      for (const PythonNode& item : statement.all("items")) {
        const std::optional<bool> ended = ends_on_entry(item.one("context_expr"), state);
        if (ended != false) return ended;
      }
      return is_never_run(statement.all("body"), name, state);
    }
    if (has_name_in(statement, name)) return std::nullopt;  // handed on
    if (statement.is("Return")) return true;
    const Run one = run_statement(statement, state, false);
    if (!one.known) return std::nullopt;
    if (one.raised) return true;
  }
  return std::nullopt;
}

}  // namespace ropewalk::compat
