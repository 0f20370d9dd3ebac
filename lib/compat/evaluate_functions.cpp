// What functions that sources define give, and the errors that they raise.
#include <algorithm>

#include "lib/compat/collection_methods.h"
#include "lib/compat/conditions.h"
#include "lib/compat/python_errors.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using ConstantKind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

constexpr int most_calls = 8;  // that are followed into each other

bool has_call(const PythonNode& node) {
  bool found = false;
  visit_nodes(node, [&](const PythonNode& one) { found = found || one.is("Call") || one.is("Subscript"); });
  return found;
}

}  // namespace

Result Conditions::result_of(const AbstractValue& function, const PythonNode& call, const PythonState& state) const {
  if (is_generator(*function.definition)) return std::nullopt;
  const Run run = run_of(function, call, state);
  return run.known ? run.returned : std::nullopt;
}

std::optional<PythonState> Conditions::state_inside(const AbstractValue& function, const PythonNode& call,
                                                    const PythonState& state, const Conditions& inside) const {
  const SharedMap<AbstractValue>* const names =
      function.file == &file_ ? &state.module_values() : modules_.values_of(*function.file);
  if (!names) return std::nullopt;
  PythonState inner;
  inner.values = inner.globals = *names;
  inner.in_function = true;
  const auto give = [&](const std::string& parameter, const Result& value) {
    inner.values.erase(parameter);
    if (value) inner.values.own()[parameter] = AbstractValue::of(*value);
  };
  // A function of the provider stays one.
  const auto give_argument = [&](const std::string& parameter, const PythonNode& argument) {
    const AbstractValue value = named(argument, state);
    if (value.kind != AbstractValue::Kind::Function) return give(parameter, constant_of(argument, state));
    inner.values.own()[parameter] = value;
  };
  const std::vector<PythonNode>& parameters = function.definition->all("parameters");
  for (const PythonNode& parameter : parameters) {
    give(parameter.word, parameter.one("default") ? inside.constant_of(parameter.one("default"), inner) : std::nullopt);
  }
  const std::vector<PythonNode>& arguments = call.all("args");
  if (arguments.size() > parameters.size()) return std::nullopt;
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (arguments[n].is("Starred")) return std::nullopt;
    give_argument(parameters[n].word, arguments[n]);
  }
  for (const PythonNode& keyword : call.all("keywords")) {
    if (keyword.word.empty()) return std::nullopt;
    give_argument(keyword.word, keyword.one("value"));
  }
  return inner;
}

Conditions::Run Conditions::run_of(const AbstractValue& function, const PythonNode& call,
                                   const PythonState& state) const {
  const Run unknown{false, {}};
  if (depth_ >= most_calls) return unknown;
  Conditions inside(*function.file, modules_, remarks_);
  inside.depth_ = depth_ + 1;
  std::optional<PythonState> inner = state_inside(function, call, state, inside);
  if (!inner) return unknown;
  const Run run = inside.run(function.definition->all("body"), *inner);
  // The versions that another file compares with are not among those of this one.
  remarks_.more_than_order = remarks_.more_than_order || (run.known && function.file != &file_);
  return run;
}

// Whether a call of the provider's function, or signature.bind(..) with its arguments, is a TypeError.
std::optional<bool> Conditions::refuses(const PythonNode& call, const PythonState& state) const {
  const PythonNode& callee = call.one("func");
  if (!call.is("Call") || !named(callee, state).items.empty()) return std::nullopt;  // partial(f, ..) gives more
  const bool binds = callee.is("Attribute") && (callee.word == "bind" || callee.word == "bind_partial");
  const Result signature = binds ? constant_of(callee.one("value"), state) : signature_of(callee, state);
  if (!signature || signature->kind != ConstantKind::Signature || signature->number) return std::nullopt;
  const std::vector<Constant>& names = signature->items;
  bool is_known = call.all("args").size() <= names.size();
  for (const PythonNode& one : call.all("args")) {
    if (one.is("Starred")) return std::nullopt;
  }
  for (const PythonNode& one : call.all("keywords")) {
    if (one.word.empty()) return std::nullopt;
    const auto is_it = [&](const Constant& name) { return name.text == one.word; };
    is_known = is_known && std::ranges::any_of(names, is_it);
  }
  return !is_known;
}

Result Conditions::value_in(const PythonNode& function, const PythonNode& statement, const PythonState& state) const {
  PythonState inner;
  inner.values = inner.globals = state.module_values();
  inner.in_function = true;
  for (const PythonNode& parameter : function.all("parameters")) inner.set(parameter.word, {});
  for (const PythonNode& one : function.all("body")) {
    if (&one == &statement) return constant_of(one.one("value"), inner);
    if (!run_statement(one, inner, false).goes_on()) break;
  }
  return std::nullopt;
}

Conditions::Run Conditions::attempt(const PythonNode& statement, PythonState& state) const {
  const std::vector<PythonNode>& handlers = statement.all("handlers");
  Run end = run(statement.all("body"), state, !handlers.empty());
  if (!end.known && !handlers.empty()) return {false, {}};  // what is not known may raise
  if (end.known && end.raised) {
    if (end.error.empty()) return {false, {}};
    const auto handler = std::ranges::find_if(handlers, [&](const PythonNode& one) { return catches(one, end.error); });
    if (handler != handlers.end()) end = run(handler->all("body"), state);
  } else if (end.goes_on()) {
    end = run(statement.all("orelse"), state);
  }
  if (!end.known || statement.all("finalbody").empty()) return end;
  const Run last = run(statement.all("finalbody"), state);
  return last.goes_on() ? end : last;
}

// What a statement whose value stands alone does; guarded: an error of it is caught.
Conditions::Run Conditions::run_alone(const PythonNode& value, const PythonState& state, bool guarded) const {
  if (const AbstractValue function = named(value.one("func"), state);
      value.is("Call") && function.kind == AbstractValue::Kind::Defined) {
    const Run inner = run_of(function, value, state);
    if (inner.known && inner.raised) return inner;
    if (inner.known) return {};
  }
  if (ends(value, state).value_or(false)) return {true, {}, true, "SystemExit"};
  const std::optional<bool> refused = guarded ? refuses(value, state) : std::nullopt;
  if (refused == true) return {true, {}, true, "TypeError"};
  const bool may_raise = guarded && !refused && has_call(value) && !constant_of(value, state);
  return {!may_raise, {}};
}

Conditions::Run Conditions::run(const std::vector<PythonNode>& body, PythonState& state, bool guarded) const {
  for (const PythonNode& statement : body) {
    const Run one = run_statement(statement, state, guarded);
    if (!one.goes_on()) return one;
  }
  return {};
}

Conditions::Run Conditions::run_statement(const PythonNode& statement, PythonState& state, bool guarded) const {
  const PythonNode& value = statement.one("value");
  if (value.is("Yield")) return {true, Constant{}};  // what runs on from there is the block of a `with`
  if (statement.is("Return")) {
    if (guarded && refuses(value, state) == true) return {true, {}, true, "TypeError"};
    const Result result = value ? constant_of(value, state) : Constant{};
    return {.known = result.has_value(), .returned = result, .comes_back = !result};
  }
  if (statement.is("Raise")) {
    const PythonNode& error = statement.one("exc");
    return {true, {}, true, error.is("Call") ? error.one("func").word : error.word};
  }
  if (statement.is("Expr")) {
    const Run alone = run_alone(value, state, guarded);
    if (alone.goes_on()) change_all(statement, state);
    return alone;
  }
  if (statement.is("Assert")) {
    const std::optional<bool> truth = truth_of(statement.one("test"), state);
    return {truth.has_value(), {}, truth == false, "AssertionError"};
  }
  if (statement.is("If")) {
    const std::optional<bool> truth = truth_of(statement.one("test"), state);
    return truth ? run(statement.all(*truth ? "body" : "orelse"), state, guarded) : Run{false, {}};
  }
  if (statement.is("Try")) return attempt(statement, state);
  if (statement.is("Assign") || statement.is("AnnAssign")) {
    const Run alone = value && !constant_of(value, state) ? run_alone(value, state, guarded) : Run{};
    if (alone.goes_on()) {
      give_all(statement, state);
      change_all(statement, state);
    }
    return alone;
  }
  if (statement.is("Import") || statement.is("ImportFrom")) {
    import(statement, state);
    return {};
  }
  return {statement.is("Pass") || statement.is("Global"), {}};
}

void Conditions::give_all(const PythonNode& statement, PythonState& state) const {
  const auto give = [&](const PythonNode& target, const Result& value) {
    if (target.is("Name")) state.set(target.word, value ? AbstractValue::of(*value) : AbstractValue{});
  };
  const Result value = constant_of(statement.one("value"), state);
  for (const char* field : {"targets", "target"}) {
    for (const PythonNode& target : statement.all(field)) {
      const std::vector<PythonNode>& parts = target.all("elts");
      const auto items = value ? taken_apart(*value, parts) : std::nullopt;
      for (size_t n = 0; n < parts.size(); ++n) {
        const PythonNode& part = parts[n].is("Starred") ? parts[n].one("value") : parts[n];
        give(part, items ? Result((*items)[n]) : std::nullopt);
      }
      if (parts.empty()) give(target, value);
      if (target.is("Subscript")) give_item(target, value, state);
    }
  }
}

// known["softcap"] = 0.0
void Conditions::give_item(const PythonNode& target, const Result& value, PythonState& state) const {
  const std::string name = dotted_name(target.one("value"));
  const AbstractValue* const known = state.find(name);
  if (!known || !known->constant) return;
  const Result key = constant_of(target.one("slice"), state);
  const Result whole = key && value ? with_item(*known->constant, *key, *value) : std::nullopt;
  state.set(name, whole ? AbstractValue::of(*whole) : AbstractValue{});
}

// known.update(..), anywhere in a statement.
void Conditions::change_all(const PythonNode& statement, PythonState& state) const {
  visit_expressions(statement, [&](const PythonNode& call) {
    const PythonNode& callee = call.one("func");
    const std::string name = callee.is("Attribute") ? dotted_name(callee.one("value")) : "";
    const AbstractValue* const known = call.is("Call") && !name.empty() ? state.find(name) : nullptr;
    if (!known || !known->constant || !known->constant->elements() || only_reads(callee.word)) return;
    std::vector<Constant> given;
    bool is_known = call.all("keywords").empty();
    for (const PythonNode& one : call.all("args")) {
      const Result constant = constant_of(one, state);
      is_known = is_known && constant;
      if (constant) given.push_back(*constant);
    }
    const Result after = is_known ? after_method(*known->constant, callee.word, given) : std::nullopt;
    state.set(name, after ? AbstractValue::of(*after) : AbstractValue{});
  });
}

}  // namespace ropewalk::compat
