// What errors do to the ways of a walk: which statements raise them, who catches them, and where they go on.
#include <algorithm>
#include <array>
#include <utility>

#include "lib/compat/module_names.h"
#include "lib/compat/other_packages.h"
#include "lib/compat/python_errors.h"
#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

using Kind = AbstractValue::Kind;

constexpr std::array<const char*, 5> followed_errors = {"TypeError", "ImportError", "AttributeError", "ValueError",
                                                        "IndexError"};

// Whether it does something else than to raise again.
bool goes_on(const PythonNode& handler) {
  return std::ranges::none_of(handler.all("body"), [](const PythonNode& one) { return one.is("Raise"); });
}

// Whether the caller knows what to do about the error, where it is no wrong call.
bool takes(const PythonNode& handler, const std::string& error) {
  const bool is_of_name = error == "ImportError" || error == "AttributeError";
  // A wrong number of results is expected by name alone.
  const bool is_of_results = error == "ValueError" || error == "IndexError";
  bool is_named = false;
  visit_nodes(handler.one("type"), [&](const PythonNode& one) { is_named = is_named || one.word == error; });
  return catches(handler, error) && (is_of_name || goes_on(handler)) && (!is_of_results || is_named);
}

// A handler of the errors, or of any where there are none.
PythonNode handler_of(const std::vector<PythonNode>& errors) {
  PythonNode handler{"ExceptHandler"};
  if (!errors.empty()) handler.fields.emplace_back("type", errors);
  return handler;
}

// The handlers around a yield: what is raised in the block of the `with` is raised there.
void find_handlers_of_yield(const std::vector<PythonNode>& body, std::vector<PythonNode>& handlers) {
  for (const PythonNode& statement : body) {
    if (statement.is_function() || statement.is("ClassDef")) continue;
    if (statement.is("Try") && is_generator(statement)) {
      for (const PythonNode& one : statement.all("handlers")) {
        if (goes_on(one)) handlers.push_back(handler_of(one.all("type")));
      }
    }
    for (const auto& [field, nodes] : statement.fields) {
      if (is_block(field)) find_handlers_of_yield(nodes, handlers);
    }
  }
}

// Whether __exit__ may tell that the error was dealt with.
bool may_suppress(const PythonNode& exit) {
  bool may = false;
  visit_statements(exit.all("body"), [&](const PythonNode& one) {
    const std::string& given = one.one("value").word;
    may = may || (one.is("Return") && one.one("value") && given != "False" && given != "None");
  });
  return may;
}

}  // namespace

std::vector<PythonNode> CallWalk::handlers_of_manager(const AbstractValue& maker, const PythonState& state) const {
  std::vector<PythonNode> handlers;
  if (maker.kind == Kind::Defined) find_handlers_of_yield(maker.definition->all("body"), handlers);
  const AbstractValue exit =
      maker.kind == Kind::Class ? conditions_.method_named(maker, "__exit__", state) : AbstractValue{};
  if (exit.kind == Kind::Defined && may_suppress(*exit.definition)) handlers.push_back(handler_of({}));
  return handlers;
}

std::vector<PythonNode> CallWalk::handlers_of_with(const PythonNode& with, const PythonState& state) const {
  std::vector<PythonNode> handlers;
  for (const PythonNode& item : with.all("items")) {
    const PythonNode& call = item.one("context_expr");
    const std::string& called = call.one("func").word;
    if (!call.is("Call")) continue;
    if (called != "suppress" && called != "raises" && !called.starts_with("assertRaises")) {
      const std::vector<PythonNode> own = handlers_of_manager(conditions_.named(call.one("func"), state), state);
      handlers.insert(handlers.end(), own.begin(), own.end());
      continue;
    }
    std::vector<PythonNode> errors = call.all("args");
    if (called != "suppress" && errors.size() > 1) errors.resize(1);
    for (const PythonNode& keyword : call.all("keywords")) {
      if (keyword.word == "expected_exception") errors.push_back(keyword.one("value"));
    }
    for (const PythonNode& error : errors) handlers.push_back(handler_of({error}));
  }
  return handlers;
}

bool CallWalk::comes_back(const PythonNode& call, PythonState& state) const {
  const std::optional<bool> ends = conditions_.ends(call, state);
  if (!ends) state.unclear.insert(call.text);
  return !ends.value_or(false);
}

bool CallWalk::is_run(const PythonNode& definition, PythonState& state) const {
  for (const PythonNode& decorator : definition.all("decorator_list")) {
    const std::optional<bool> skips = conditions_.skips(decorator, state);
    if (skips == true) return false;
    if (!skips) state.unclear.insert(decorator.text);
  }
  return true;
}

bool CallWalk::is_entered(const PythonNode& with, PythonState& state) const {
  for (const PythonNode& item : with.all("items")) {
    const PythonNode& manager = item.one("context_expr");
    const std::optional<bool> ends = conditions_.ends_on_entry(manager, state);
    if (ends == true) return false;
    if (!ends) state.unclear.insert(manager.text);
  }
  return true;
}

CallWalk::Outcome CallWalk::outcome_of_import(const PythonNode& statement) const {
  Outcome outcome;
  for (const Import& one : imports_of(statement)) {
    if (!is_module(one.module.substr(0, one.module.find('.')), provider_)) {
      const AbstractValue module{Kind::Imported, "", absolute_module(one.module, file_), &file_};
      if (!modules_.has(module) && !is_always_there(one.module)) {
        outcome.raises(Outcome::Kind::Open, "ModuleNotFoundError");
      }
    } else if (!is_module(one.module, provider_)) {
      outcome.raises(Outcome::Kind::Unclear, "ModuleNotFoundError");
    } else if (!one.whole) {
      for (const auto& [name, alias] : one.names) {
        const bool is_there = name == "*" || name == "__version__" || has(provider_, one.module, name) ||
                              defining_module(one.module, name, provider_) ||
                              is_module(one.module + "." + name, provider_);
        if (is_there) continue;
        const bool is_missing = lacks(provider_, one.module, name);
        outcome.raises(is_missing ? Outcome::Kind::Fails : Outcome::Kind::Unclear, "ImportError");
      }
    }
  }
  if (outcome.kind == Outcome::Kind::Unclear) outcome.test = statement.text;
  return outcome;
}

CallWalk::Outcome CallWalk::outcome_of(const PythonNode& statement, const PythonState& state) const {
  if (statement.is("Import") || statement.is("ImportFrom")) return outcome_of_import(statement);
  if (statement.is("If")) {
    const std::optional<bool> truth = conditions_.truth_of(statement.one("test"), state);
    Outcome outcome;
    for (const bool way : {true, false}) {
      if (truth && *truth != way) continue;
      for (const PythonNode& inner : statement.all(way ? "body" : "orelse")) {
        const Outcome one = outcome_of(inner, state);
        outcome.raises(truth ? one.kind : std::min(one.kind, Outcome::Kind::Open), one.error);
        if (!one.test.empty()) outcome.test = one.test;
      }
    }
    if (!truth) outcome.raises(Outcome::Kind::Open, "");
    return outcome;
  }
  Outcome outcome;
  if (statement.is("Raise")) {
    const PythonNode& error = statement.one("exc");
    outcome.raises(Outcome::Kind::Fails, error.is("Call") ? error.one("func").word : error.word);
    return outcome;
  }
  // It asks for a package that is not there, or for a name that the provider does not have.
  visit_expressions(statement, [&](const PythonNode& node) {
    const std::string package = conditions_.asked_package(node, state);
    if (!package.empty() && !same_package(package, provider_.package)) {
      outcome.raises(Outcome::Kind::Fails, "PackageNotFoundError");
    }
    if (!node.is("Attribute")) return;
    const AbstractValue owner = conditions_.named(node.one("value"), state);
    if (owner.kind != Kind::Module || !lacks(provider_, owner.name, node.word)) return;
    if (conditions_.named(node, state).kind == Kind::Unknown) {
      outcome.raises(Outcome::Kind::Fails, "AttributeError");
    }
  });
  for (const PythonNode& item : statement.all("items")) {
    if (conditions_.ends_on_entry(item.one("context_expr"), state) == true) outcome.raises(Outcome::Kind::Fails, "");
  }
  const PythonNode& value = statement.one("value");
  if (conditions_.ends(value, state) == true) {
    const bool is_own = conditions_.named(value.one("func"), state).kind == Kind::Defined;
    outcome.raises(Outcome::Kind::Fails, is_own ? "" : "SystemExit");
  }
  if (outcome.kind == Outcome::Kind::Fails) return outcome;
  // It binds arguments that the function does not take.
  const std::optional<bool> refused = conditions_.refuses(value, state);
  if (refused == true && caught_.count("TypeError")) {
    outcome.raises(Outcome::Kind::Fails, "TypeError");
    return outcome;
  }
  const bool binds = refused == false && conditions_.named(value.one("func"), state).kind == Kind::Unknown;
  const bool is_plain =
      statement.is("Assign") || statement.is("AnnAssign") || statement.is("Expr") || statement.is("Return");
  const bool is_known = !value || value.is("Text") || binds || conditions_.constant_of(value, state) ||
                        conditions_.named(value, state).kind != Kind::Unknown;
  const bool is_definition = statement.is_function() || statement.is("ClassDef");
  const bool is_nothing = statement.is("Pass") || statement.is("Global") || statement.is("Nonlocal");
  if (!is_definition && !is_nothing && !(is_plain && is_known)) outcome.raises(Outcome::Kind::Open, "");
  return outcome;
}

CallWalk::States CallWalk::attempt(const PythonNode& one, States states) {
  const bool is_with = !one.is("Try") && !one.is("TryStar");
  const std::vector<PythonNode> of_with =
      is_with && !states.empty() ? handlers_of_with(one, states.front()) : std::vector<PythonNode>{};
  const std::vector<PythonNode>& handlers = is_with ? of_with : one.all("handlers");
  const std::set<std::string> outer = caught_;
  for (const char* error : followed_errors) {
    if (std::ranges::any_of(handlers, [&](const PythonNode& each) { return takes(each, error); }))
      caught_.insert(error);
  }
  std::vector<States> raised(handlers.size());
  const auto raise = [&](const Outcome& outcome, const PythonState& state) {
    bool is_caught = false;
    for (size_t n = 0; n < handlers.size() && !(is_caught && !outcome.error.empty()); ++n) {
      if (!outcome.error.empty() && !catches(handlers[n], outcome.error)) continue;
      is_caught = true;
      raised[n].push_back(state);
      if (!outcome.test.empty()) raised[n].back().unclear.insert(outcome.test);
    }
    return is_caught;
  };
  const std::vector<PythonNode>& body = one.all("body");
  for (size_t n = 0; n < body.size() && !states.empty(); ++n) {
    States go_on;
    for (PythonState& state : states) {
      const Outcome outcome = handlers.empty() ? Outcome{} : outcome_of(body[n], state);
      const bool is_caught = outcome.kind != Outcome::Kind::Succeeds && raise(outcome, state);
      if (outcome.kind != Outcome::Kind::Fails || !is_caught) {
        go_on.push_back(std::move(state));
      } else if (outcome.error == "TypeError") {
        find_calls_of(body[n], state);
      }
    }
    states = go_on.empty() ? States{} : statement(body[n], std::move(go_on));
  }
  caught_ = outer;
  if (!is_with) states = block(one.all("orelse"), std::move(states));
  bool matters = states.empty() || changes_any(body, relevant_) || changes_any(one.all("orelse"), relevant_);
  States handled;
  for (size_t n = 0; n < handlers.size(); ++n) {
    const std::vector<PythonNode>& other = handlers[n].all("body");
    matters = matters || changes_any(other, relevant_);
    for (PythonState& end : block(other, limited(std::move(raised[n]), one.line))) handled.push_back(std::move(end));
  }
  if (matters) {
    for (PythonState& end : handled) states.push_back(std::move(end));
  } else if (!handled.empty()) {
    std::vector<const std::vector<PythonNode>*> ways = {&body, &one.all("orelse")};
    for (const PythonNode& handler : handlers) ways.push_back(&handler.all("body"));
    for (PythonState& state : states) {
      for (const std::vector<PythonNode>* way : ways) {
        state.doubt(assigned_names(*way));
        state.open_items(assigned_names(*way), changed_names(*way));
      }
    }
  }
  return block(one.all("finalbody"), limited(std::move(states), one.last_line));
}

}  // namespace ropewalk::compat
