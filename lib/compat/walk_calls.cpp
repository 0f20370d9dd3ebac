// Calls of a provider's functions as the walk meets them, and what is done with their results.
#include <algorithm>

#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

using Kind = AbstractValue::Kind;

bool same_call(const Call& a, const Call& b) {
  return a.function == b.function && a.line == b.line && a.scope == b.scope && a.positional == b.positional &&
         a.keywords == b.keywords && a.more_positional == b.more_positional && a.more_keywords == b.more_keywords;
}

// Calls of names that a lambda or a comprehension gives a value of its own.
void find_hidden(const PythonNode& scope, std::set<const PythonNode*>& calls) {
  const std::set<std::string> own = own_names(scope);
  if (own.empty()) return;
  const auto hide = [&](const PythonNode& inside) {
    visit_nodes(inside, [&](const PythonNode& call) {
      const std::string name = call.is("Call") ? dotted_name(call.one("func")) : "";
      if (own.count(name.substr(0, name.find('.')))) calls.insert(&call);
    });
  };
  for (const char* field : {"body", "elt", "key", "value"}) hide(scope.one(field));
  for (const PythonNode& loop : scope.all("generators")) {
    for (const PythonNode& test : loop.all("ifs")) hide(test);
  }
}

}  // namespace

std::optional<size_t> CallWalk::find_calls(const PythonNode& node, const PythonState& state, bool kept) {
  constexpr size_t most_letters = 80;
  expression_ = node.text.size() > most_letters ? "" : node.text;
  find_uses_of_names(node, state, kept);
  std::map<const PythonNode*, i64> taken;              // of calls: the one result that `f(..)[1]` takes
  std::map<const PythonNode*, std::string> depending;  // of calls: the version test that decides on them
  std::set<const PythonNode*> dead;                    // calls that are not made
  // What stands in `guarded` is done where the test is `way`.
  const auto guard = [&](const PythonNode& test, bool way, const PythonNode& guarded) {
    const std::optional<bool> truth = conditions_.truth_of(test, state);
    const bool unclear = !truth && is_version_test(test, state);
    visit_nodes(guarded, [&](const PythonNode& call) {
      if (truth && *truth != way) dead.insert(&call);
      if (unclear) depending[&call] = test.text;
    });
  };
  visit_nodes(node, [&](const PythonNode& one) {
    if (one.is("IfExp")) {
      guard(one.one("test"), true, one.one("body"));
      guard(one.one("test"), false, one.one("orelse"));
    }
    const std::vector<PythonNode>& parts = one.all("values");
    for (size_t n = 1; one.is("BoolOp") && n < parts.size(); ++n) {
      for (size_t before = 0; before < n; ++before) guard(parts[before], one.word == "And", parts[n]);
    }
  });
  visit_nodes(node, [&](const PythonNode& one) { find_hidden(one, dead); });
  const std::string from = scope_.substr(0, scope_.find('.'));
  const std::string unclear = state.unclear.empty() ? "" : *state.unclear.begin();
  visit_nodes(node, [&](const PythonNode& one) {
    if (!one.is("Name") || dead.count(&one)) return;
    const auto on = depending.find(&one);
    reach_.mention(one.word, from, on == depending.end() ? unclear : on->second);
  });
  std::optional<size_t> last;
  visit_nodes(node, [&](const PythonNode& call) {
    const auto index =
        call.is("Subscript") && call.one("value").is("Call") ? written_number(call.one("slice")) : std::nullopt;
    if (index) taken[&call.one("value")] = *index;
    if (!dead.count(&call)) use_result(call, state);
    if (!call.is("Call") || dead.count(&call)) return;
    const PythonNode& callee = call.one("func");
    if (const LocalFunction* const called = order_.local(dotted_name(callee))) pass(*called, call, state);
    if (!depending.count(&call)) pass_more(call, state);
    const AbstractValue function =
        callee.is("IfExp") || callee.is("Call") ? value_of(callee, state) : conditions_.named(callee, state);
    if (function.kind != Kind::Function) return;
    Call made = call_at(function, call, state);
    if (const auto use = taken.find(&call); use != taken.end()) made.uses.push_back({use->second, "", made.line});
    if (const auto on = depending.find(&call); on != depending.end()) made.unclear = depends_on(on->second);
    const size_t number = record(std::move(made));
    if (&call == &node) last = number;
  });
  return last;
}

void CallWalk::find_calls_of(const PythonNode& statement, const PythonState& state) {
  for (const auto& [field, nodes] : statement.fields) {
    const bool is_given = field == "target" && (statement.is("For") || statement.is("AsyncFor"));
    if (is_block(field) || is_given) continue;
    for (const PythonNode& one : nodes) find_calls(one, state);
  }
}

Call CallWalk::call_at(const AbstractValue& function, const PythonNode& node, const PythonState& state) {
  Call call;
  call.function = function.name;
  call.module = function.module;
  call.file = file_.path;
  call.line = node.one("func").last_line;
  call.scope = scope_;
  call.refusal_caught = caught_.count("TypeError") > 0;
  call.unclear = state.why_unclear();
  // What partial(f, ..) has given already.
  for (const NamedText& item : function.items) {
    if (item.name.empty()) call.positional.push_back(item.text);
  }
  call.more_keywords = function.open;
  for (const PythonNode& one : node.all("args")) {
    if (one.is("Starred")) {
      const AbstractValue items = value_of(one.one("value"), state);
      const bool known = items.kind == Kind::Positionals;
      call.more_positional = call.more_positional || !known || items.open;
      for (const NamedText& item : items.items) call.positional.push_back(item.text);
    } else if (!call.more_positional) {
      call.positional.push_back(one.text);
    }
  }
  for (const PythonNode& one : node.all("keywords")) {
    if (!one.word.empty()) {
      call.keywords.push_back({one.word, one.one("value").text});
      continue;
    }
    const AbstractValue items = value_of(one.one("value"), state);
    const bool known = items.kind == Kind::Keywords;
    call.more_keywords = call.more_keywords || !known || items.open;
    if (known) call.keywords.insert(call.keywords.end(), items.items.begin(), items.items.end());
  }
  for (const NamedText& item : function.items) {
    const bool is_given_anew =
        item.name.empty() || std::ranges::find(call.keywords, item.name, &NamedText::name) != call.keywords.end();
    if (!is_given_anew) call.keywords.push_back(item);
  }
  return call;
}

std::optional<CallWalk::Given> CallWalk::given_by(const PythonNode& call, const std::vector<NamedText>& parameters,
                                                  const PythonNode& definition, const PythonState& state) {
  Given given;
  std::set<std::string> filled;
  const auto fill = [&](const std::string& parameter, std::optional<bool> truth,
                        const std::optional<PythonConstant>& constant) {
    filled.insert(parameter);
    if (constant) given.constants[parameter] = *constant;
    if (truth) given.truths[parameter] = *truth;
  };
  const auto fill_from_text = [&](const std::string& parameter, const std::string& text) {
    const AbstractValue* const known = state.find(text);
    const auto decided = state.decided->find(text);
    if (text == "True" || text == "False") {
      fill(parameter, text == "True", PythonConstant::of_truth(text == "True"));
    } else if (known && known->kind == Kind::Constant) {
      fill(parameter, known->constant->truth(), known->constant);
    } else {
      fill(parameter, decided == state.decided->end() ? std::nullopt : std::optional(decided->second), std::nullopt);
    }
  };
  size_t position = 0;
  for (const PythonNode& one : call.all("args")) {
    if (!one.is("Starred")) {
      if (position >= parameters.size()) break;
      fill(parameters[position++].name, conditions_.truth_of(one, state), conditions_.constant_of(one, state));
      continue;
    }
    const AbstractValue items = value_of(one.one("value"), state);
    if (items.kind != Kind::Positionals || items.open) return std::nullopt;  // which are filled is not known
    for (const NamedText& item : items.items) {
      if (position < parameters.size()) fill_from_text(parameters[position++].name, item.text);
    }
  }
  for (const PythonNode& one : call.all("keywords")) {
    if (one.word.empty()) return std::nullopt;
    fill(one.word, conditions_.truth_of(one.one("value"), state), conditions_.constant_of(one.one("value"), state));
  }
  for (const PythonNode& parameter : definition.all("parameters")) {
    const PythonNode& otherwise = parameter.one("default");
    const auto constant = filled.count(parameter.word) ? std::nullopt : conditions_.constant_of(otherwise, {});
    if (constant) fill(parameter.word, constant->truth(), constant);
  }
  return given;
}

void CallWalk::pass(const LocalFunction& called, const PythonNode& call, const PythonState& state) {
  keep_common(called, given_by(call, called.parameters, *called.definition, state).value_or(Given{}));
}

void CallWalk::pass_more(const PythonNode& call, const PythonState& state) {
  constexpr size_t most = 8;
  const AbstractValue function = conditions_.named(call.one("func"), state);
  if (function.kind != Kind::Defined || function.file != &file_ || function.definition == definition_) return;
  const PythonNode& definition = *function.definition;
  const auto is_more = [](const PythonNode& one) { return one.is("AnyKeyword"); };
  if (std::ranges::none_of(definition.all("parameters"), is_more) || !definition.all("decorator_list").empty()) return;
  // An error of the call is caught here, or whether it is made depends on what cannot be computed.
  if (!state.unclear.empty() || caught_.count("TypeError")) return;
  const std::vector<NamedText> parameters = parameters_of(definition);
  std::optional<Given> given = given_by(call, parameters, definition, state);
  if (!given) return;
  given->more.emplace();
  for (const PythonNode& one : call.all("keywords")) {
    if (std::ranges::find(parameters, one.word, &NamedText::name) != parameters.end()) continue;
    given->more->push_back({one.word, one.one("value").text});
    given->truths.erase(one.word);
    given->constants.erase(one.word);
  }
  std::vector<Given>& all = given_more_[&definition];
  if (!given->more->empty() && all.size() < most && std::ranges::find(all, *given) == all.end())
    all.push_back(std::move(*given));
}

void CallWalk::keep_common(const LocalFunction& called, Given given) {
  const auto [known, is_first] = given_.emplace(called.definition, given);
  if (is_first) return;
  const auto keep = [](auto& mine, const auto& others) {
    std::erase_if(mine, [&](const auto& one) {
      const auto again = others.find(one.first);
      return again == others.end() || again->second != one.second;
    });
  };
  keep(known->second.truths, given.truths);
  keep(known->second.constants, given.constants);
}

size_t CallWalk::record(Call call) {
  for (size_t n = 0; n < result_.calls.size(); ++n) {
    if (!same_call(result_.calls[n], call)) continue;
    if (call.unclear.empty()) result_.calls[n].unclear.clear();
    return n;
  }
  result_.calls.push_back(std::move(call));
  return result_.calls.size() - 1;
}

void CallWalk::use_result(const PythonNode& node, const PythonState& state) {
  const std::optional<i64> index = node.is("Subscript") ? written_number(node.one("slice")) : std::nullopt;
  const AbstractValue* const known = index ? state.find(dotted_name(node.one("value"))) : nullptr;
  if (!known || known->kind != Kind::Result || known->call >= result_.calls.size() || catches_wrong_results()) return;
  std::vector<ResultUse>& uses = result_.calls[known->call].uses;
  const auto is_same = [&](const ResultUse& use) { return use.index == *index && use.line == node.line; };
  if (std::ranges::none_of(uses, is_same)) uses.push_back({*index, "", node.line});
}

bool CallWalk::catches_wrong_results() const { return caught_.count("ValueError") || caught_.count("IndexError"); }

void CallWalk::name_uses(const PythonNode& target, const PythonNode& value, const PythonState& state) {
  const auto parts_of = [](const PythonNode& node) {
    std::vector<const PythonNode*> parts;
    for (const PythonNode& part : node.all("elts")) parts.push_back(&part);
    if (!node.is("Tuple")) parts = {&node};
    return parts;
  };
  const std::vector<const PythonNode*> names = parts_of(target), values = parts_of(value);
  for (size_t part = 0; part < values.size() && names.size() == values.size(); ++part) {
    visit_nodes(*values[part], [&](const PythonNode& node) {
      const std::optional<i64> index = node.is("Subscript") ? written_number(node.one("slice")) : std::nullopt;
      const AbstractValue* const known = index ? state.find(dotted_name(node.one("value"))) : nullptr;
      if (!known || known->kind != Kind::Result || known->call >= result_.calls.size()) return;
      for (ResultUse& use : result_.calls[known->call].uses) {
        const bool is_it = use.index == *index && use.line == node.line && use.name.empty();
        if (is_it) use.name = name_in(names[part]->text, true);
      }
    });
  }
}

void CallWalk::forget_asked_results(const PythonNode& statement, States& states) {
  visit_expressions(statement, [&](const PythonNode& call) {
    const std::string& called = call.one("func").word;
    const bool counts = called == "len";
    const bool looks = counts || called == "isinstance" || called == "type" || called == "is_tensor";
    if (!looks || !call.one("args").is("Name")) return;
    for (PythonState& state : states) {
      const AbstractValue* const known = state.find(call.one("args").word);
      const bool is_computed = counts && known && !known->items.empty();
      if (known && known->kind == Kind::Result && !is_computed) state.set(call.one("args").word, {});
    }
  });
}

}  // namespace ropewalk::compat
