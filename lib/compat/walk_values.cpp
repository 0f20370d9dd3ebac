// What simple statements do to the values that bear on calls.
#include <algorithm>

#include "lib/compat/collection_methods.h"
#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

using Kind = AbstractValue::Kind;

bool is_literal(const PythonNode& node) {
  if (node.is("Tuple") || node.is("List") || node.is("Set")) {
    return std::all_of(node.all("elts").begin(), node.all("elts").end(), is_literal);
  }
  return node.is("Text") || node.is("Number") || (node.is("Constant") && node.word != "True" && node.word != "False");
}

// Functions that do not change a collection that they are given.
bool leaves_as_it_is(const std::string& called) {
  static const std::set<std::string> names = names_of_words(
      "set frozenset list tuple dict sorted len any all min max sum print str repr bool isinstance type id "
      "enumerate zip map filter iter next reversed hash join issubset issuperset isdisjoint union "
      "intersection difference update extend get append");
  return names.count(called) > 0;
}

// A mapping by names may be unpacked in a call.
AbstractValue value_of_constant(const PythonConstant& constant) {
  AbstractValue value = AbstractValue::of(constant);
  const auto is_named = [](const PythonConstant& one) { return one.items[0].kind == PythonConstant::Kind::Text; };
  if (constant.kind != PythonConstant::Kind::Mapping || !std::ranges::all_of(constant.items, is_named)) return value;
  value.kind = Kind::Keywords;
  for (const PythonConstant& one : constant.items)
    value.items.push_back({one.items[0].text, one.items[1].as_written()});
  return value;
}

}  // namespace

AbstractValue CallWalk::value_of(const PythonNode& node, const PythonState& state) {
  if (node.is("Dict")) return mapping_of(node, state);
  if (node.is("Call")) {
    if (const AbstractValue* const made = state.find(node.text); made && made->is_collection()) return *made;
  }
  if (node.is("DictComp")) {
    AbstractValue mapping = filtered(node, state);
    const auto constant = in_module_ ? conditions_.constant_of(node, state) : std::nullopt;
    if (mapping.kind == Kind::Unknown) return constant ? AbstractValue::of(*constant) : mapping;
    mapping.constant = constant;
    return mapping;
  }
  if (node.is("Call") && node.one("func").text == "dict") {
    const AbstractValue mapping = mapping_of(node, state);
    const auto constant =
        mapping.open ? conditions_.constant_of(node, state) : std::nullopt;  // dict(zip(names, values))
    return constant ? value_of_constant(*constant) : mapping;
  }
  if (node.is("List") || node.is("Tuple") || node.is("ListComp")) return sequence_of(node, state);
  if (node.is("BinOp") && node.word == "BitOr") {
    AbstractValue left = value_of(node.one("left"), state);
    if (left.kind == Kind::Keywords) {
      left.join(value_of(node.one("right"), state), Kind::Keywords);
      return left;
    }
  }
  if (node.is("BoolOp")) {
    if (AbstractValue one = either_of(node, state); one.is_collection()) return one;
  }
  if (AbstractValue function = partial_of(node, state); function.kind != Kind::Unknown) return function;
  const PythonNode& callee = node.one("func");
  if (node.is("Call") && callee.is("Attribute") && callee.word == "copy" && node.all("args").empty()) {
    if (AbstractValue whole = value_of(callee.one("value"), state); whole.is_collection()) return whole;
  }
  if (node.is("IfExp")) {
    if (const auto truth = conditions_.truth_of(node.one("test"), state)) {
      return value_of(node.one(*truth ? "body" : "orelse"), state);
    }
  }
  if (node.is("Name") || node.is("Attribute") || node.is("Call") || node.is("Subscript")) {
    if (AbstractValue known = conditions_.named(node, state); known.kind != Kind::Unknown) return known;
  }
  // Inside functions a literal says nothing of versions; what it may be by way would only make ways.
  if (const auto constant = conditions_.constant_of(node, state)) {
    return in_module_ || !is_literal(node) ? value_of_constant(*constant) : AbstractValue{};
  }
  const std::optional<bool> truth = conditions_.truth_of(node, state);
  return truth ? AbstractValue::of(PythonConstant::of_truth(*truth)) : AbstractValue{};
}

void CallWalk::import(const PythonNode& statement, PythonState& state) {
  for (const Import& one : imports_of(statement)) {
    if (one.whole || !is_module(one.module, provider_)) continue;
    for (const auto& [name, alias] : one.names) miss(one.module, name, statement.line, true, state);
  }
  conditions_.import(statement, state);
  // Of a collection of another module that is filled here, what its module put into it is not all.
  const std::set<std::string>& filled = modules_.given_in(file_);
  for (const Import& one : imports_of(statement)) {
    for (const auto& [name, alias] : one.names) {
      const AbstractValue* const value = filled.count(alias) ? state.find(alias) : nullptr;
      if (!value || value->kind != Kind::Imported) continue;
      const AbstractValue whole = modules_.resolved(*value);
      if (whole.constant && whole.constant->elements()) state.set(alias, {});
    }
  }
}

void CallWalk::give(const PythonNode& target, const AbstractValue& value, PythonState& state) {
  if (target.is("Name"))
    state.set(target.word, nonlocal_.count(target.word) ? AbstractValue{} : kept_value(target, value));
  if (target.is("Attribute") && target.one("value").is("Name")) {
    const auto is_of_it = [&](const auto& one) { return mentions(one.first, target.text); };
    state.decided.erase_if(is_of_it);
    state.domains.erase_if(is_of_it);
    tell_attributes(state);
    if (value.kind == Kind::Constant && has_context_ && target.text.starts_with(own_)) {
      state.decided.own()[target.text] = value.constant->truth();
    }
  }
  for (const PythonNode& part : target.all("elts")) give(part.is("Starred") ? part.one("value") : part, {}, state);
}

bool CallWalk::is_decided_at_run_time(const PythonNode& target, const PythonNode& value,
                                      const PythonState& state) const {
  const VersionTests* const tests = modules_.tests_of(file_);
  return target.is("Name") && !in_class_ && !nonlocal_.count(target.word) && tests && tests->is_made(target.word) &&
         !is_version_test(value, state);
}

AbstractValue CallWalk::kept_value(const PythonNode& target, AbstractValue value) const {
  const bool is_collection = value.constant && value.constant->elements();
  if (!is_collection || !in_module_ || in_class_ || !changed_later_.count(target.word)) return value;
  value.constant.reset();
  return value.kind == Kind::Constant ? AbstractValue{} : value;
}

void CallWalk::forget_given(const PythonNode& statement, PythonState& state) const {
  std::set<std::string> names, filled;
  visit_expressions(statement, [&](const PythonNode& call) {
    if (!call.is("Call") || leaves_as_it_is(call.one("func").word)) return;
    const AbstractValue function = conditions_.named(call.one("func"), state);
    if (function.kind == Kind::Defined) {
      const std::set<std::string> changed = changed_names(function.definition->all("body"));
      const auto& parameters = function.definition->all("parameters");
      if (std::ranges::none_of(parameters, [&](const PythonNode& one) { return changed.count(one.word); })) return;
      for (const PythonNode& one : call.all("args")) filled.insert(one.word);
      for (const PythonNode& one : call.all("keywords")) filled.insert(one.one("value").word);
    }
    for (const PythonNode& one : call.all("args")) names.insert(one.word);
    for (const PythonNode& one : call.all("keywords")) names.insert(one.one("value").word);
  });
  state.forget_items(names);
  state.open_items({}, filled);
}

void CallWalk::remove(const PythonNode& target, PythonState& state) {
  if (target.is("Name")) return state.set(target.word, {});
  if (target.is("Subscript")) state.forget_items({dotted_name(target.one("value"))});
  const AbstractValue* const known = target.is("Subscript") ? state.find(dotted_name(target.one("value"))) : nullptr;
  if (!known || (known->kind != Kind::Keywords && known->kind != Kind::Positionals)) return;
  AbstractValue value = *known;
  const auto key = conditions_.constant_of(target.one("slice"), state);
  if (value.kind == Kind::Keywords && key && key->kind == PythonConstant::Kind::Text) {
    value.erase_key(key->text);
  } else {
    value = {};
  }
  state.set(dotted_name(target.one("value")), value);
}

std::optional<PythonConstant> CallWalk::changed_items(const PythonConstant& whole, const PythonNode& call,
                                                      const PythonState& state) const {
  std::vector<PythonConstant> given;
  for (const PythonNode& one : call.all("args")) {
    const auto constant = conditions_.constant_of(one, state);
    if (!constant) return std::nullopt;
    given.push_back(*constant);
  }
  return call.all("keywords").empty() ? after_method(whole, call.one("func").word, given) : std::nullopt;
}

void CallWalk::change_all(const PythonNode& statement, PythonState& state) {
  visit_expressions(statement, [&](const PythonNode& call) {
    const bool is_statement = statement.is("Expr") && &call == &statement.one("value");
    if (call.is("Call") && (is_statement || changes_its_owner(call.one("func").word))) change(call, state);
  });
}

void CallWalk::change(const PythonNode& call, PythonState& state) {
  const PythonNode& callee = call.one("func");
  const std::string name = callee.is("Attribute") ? dotted_name(callee.one("value")) : "";
  const AbstractValue* known = name.empty() ? nullptr : state.find(name);
  // An argument, or what another file has made: update(..) is one of mappings.
  const bool may_be_mapping = callee.word == "update" || callee.word == "setdefault";
  const AbstractValue unknown = AbstractValue::of_more(Kind::Keywords);
  if (!known && may_be_mapping && relevant_.count(name)) known = &unknown;
  if (!known) return;
  AbstractValue value = *known;
  if (value.constant && value.constant->elements()) value.constant = changed_items(*known->constant, call, state);
  if (value.kind == Kind::Constant) return state.set(name, value.constant ? value : AbstractValue{});
  if (value.kind != Kind::Keywords && value.kind != Kind::Positionals) return;
  const std::vector<PythonNode>& arguments = call.all("args");
  const auto key = arguments.empty() ? std::nullopt : conditions_.constant_of(arguments[0], state);
  const bool keyed = key && key->kind == PythonConstant::Kind::Text;
  const std::string& does = callee.word;
  if (does == "update" && value.kind == Kind::Keywords) {
    value.join(mapping_of(call, state), Kind::Keywords);
  } else if (does == "append" && arguments.size() == 1) {
    value.items.push_back({"", arguments[0].text});
  } else if (does == "extend" && arguments.size() == 1) {
    value.join(value_of(arguments[0], state), Kind::Positionals);
  } else if (does == "pop" && keyed) {
    value.erase_key(key->text);
  } else if (does == "pop" && value.kind == Kind::Positionals && !value.open && !value.items.empty() &&
             (arguments.empty() || arguments[0].is("Number"))) {
    const size_t last = value.items.size() - 1;
    const size_t at = arguments.empty() ? last : std::strtoull(arguments[0].word.c_str(), nullptr, 10);
    if (at > last) return state.set(name, {});
    value.items.erase(value.items.begin() + long(at));
  } else if (does == "setdefault" && keyed && arguments.size() == 2) {
    if (value.has_key(key->text) != true) value.put(key->text, arguments[1].text);
  } else if (does == "clear") {
    value = {value.kind};
  } else if (does != "get" && does != "items" && does != "keys" && does != "values" && does != "copy" &&
             does != "index" && does != "count") {
    value = {};
  }
  state.set(name, value);
}

CallWalk::States CallWalk::assign(const std::vector<PythonNode>& targets, const PythonNode& value, PythonState state) {
  const PythonNode& first = targets.front();
  if (value.is("IfExp") && first.is("Name") && relevant_.count(first.word)) {
    const std::optional<bool> truth = conditions_.truth_of(value.one("test"), state);
    if (truth) return assign(targets, value.one(*truth ? "body" : "orelse"), std::move(state));
  }
  const bool kept = !in_class_ && std::all_of(targets.begin(), targets.end(), [&](const PythonNode& target) {
    return target.is("Name") || (target.is("Tuple") && value.is("Tuple"));
  });
  const bool is_way = value.is("BoolOp") || (value.is("Tuple") && first.is("Name"));
  const std::optional<size_t> call = find_calls(value, state, kept && !is_way);
  name_uses(first, value, state);
  AbstractValue result = call ? AbstractValue{Kind::Result} : value_of(value, state);
  // Two names of one collection: what changes it by the one is not seen by the other.
  if (value.is("Name") && first.is("Name") && result.is_collection() &&
      (changed_.count(first.word) || changed_.count(value.word))) {
    state.open_items({}, {value.word});
    result.open = true;
  }
  if (call) {
    result.call = *call;
    const Call& made = result_.calls[*call];
    const auto known = provider_.returns.find(made.module + "." + made.function);
    if (known != provider_.returns.end()) {
      for (const std::string& name : known->second) result.items.push_back({name, name});
    }
  }
  for (const PythonNode& target : targets) {
    const std::vector<PythonNode>& parts = target.all("elts");
    const std::vector<PythonNode>& values = value.all("elts");
    const bool several = target.is("Tuple") || target.is("List");
    const bool is_result = several && result.kind == Kind::Result && result.call < result_.calls.size();
    if (is_result && catches_wrong_results()) {
      give(target, {}, state);
    } else if (is_result) {
      // The targets take the tuple apart.
      Call& made = result_.calls[result.call];
      made.unpacked = parts.size();
      for (i64 n = 0; n < i64(parts.size()); ++n) {
        if (parts[n].is("Starred")) {
          made.unpacks_rest = true;
          made.unpacked = parts.size() - 1;
          break;
        }
        const ResultUse use{n, name_in(parts[n].text, true), value.line};
        if (std::find(made.uses.begin(), made.uses.end(), use) == made.uses.end()) made.uses.push_back(use);
      }
      give(target, {}, state);
    } else if (several) {
      std::vector<AbstractValue> each(parts.size());
      std::optional<std::vector<PythonConstant>> items;
      if (result.constant) items = taken_apart(*result.constant, parts);
      for (size_t n = 0; n < parts.size(); ++n) {
        if (values.size() == parts.size()) {
          each[n] = value_of(values[n], state);
        } else if (items) {
          each[n] = AbstractValue::of((*items)[n]);
        }
      }
      for (size_t n = 0; n < parts.size(); ++n) {
        give(parts[n].is("Starred") ? parts[n].one("value") : parts[n], each[n], state);
      }
    } else if (target.is("Subscript") && target.one("value").text == "globals()") {
      const auto key = conditions_.constant_of(target.one("slice"), state);
      if (key && key->kind == PythonConstant::Kind::Text) state.set(key->text, result);
    } else if (target.is("Subscript")) {
      const std::string name = dotted_name(target.one("value"));
      const AbstractValue* const known = state.find(name);
      if (known && known->kind == Kind::Constant) state.forget_items({name});
      const auto key = conditions_.constant_of(target.one("slice"), state);
      const bool is_text = key && key->kind == PythonConstant::Kind::Text;
      const bool is_new = !known && relevant_.count(name) && is_text;
      if (!is_new && (!known || !known->is_collection())) continue;
      AbstractValue mapping = is_new ? AbstractValue::of_more(Kind::Keywords) : *known;
      const auto item = conditions_.constant_of(value, state);
      const bool is_known = mapping.constant && key && item;
      mapping.constant = is_known ? with_item(*mapping.constant, *key, *item) : std::nullopt;
      if (mapping.kind == Kind::Keywords && is_text) {
        mapping.put(key->text, value.text);
      } else {
        mapping.blur();
      }
      state.set(name, mapping);
    } else {
      const bool is_left_to_run = result.kind == Kind::Unknown && is_decided_at_run_time(target, value, state);
      give(target, result, state);
      if (is_left_to_run) state.at_run_time.insert(target.word);
    }
  }
  return {std::move(state)};
}

void CallWalk::give_named(const PythonNode& statement, PythonState& state) {
  visit_expressions(statement, [&](const PythonNode& one) {
    if (one.is("NamedExpr")) give(one.one("target"), value_of(one.one("value"), state), state);
  });
}

CallWalk::States CallWalk::simple(const PythonNode& statement, PythonState state) {
  give_named(statement, state);
  const PythonNode& value = statement.one("value");
  if (value.is("Call") && !comes_back(value, state)) {
    find_calls_of(statement, state);
    return {};
  }
  for (const auto& [name, given] : globals_given(statement)) state.set(name, value_of(*given, state));
  if (statement.is("ImportFrom") || statement.is("Import")) {
    import(statement, state);
  } else if (statement.is("Return") || statement.is("Raise") || statement.is("Continue") || statement.is("Break")) {
    find_calls_of(statement, state);
    if (statement.is("Return")) come_to_end(state);
    if (statement.is("Return") && made_ && definition_ == maker_) {
      const Made one{value_of(value, state), state.unclear};
      if (std::ranges::find(*made_, one) == made_->end()) made_->push_back(one);
    }
    States* const ways = statement.is("Continue") ? continued_ : statement.is("Break") ? broken_ : nullptr;
    if (ways) ways->push_back(std::move(state));
    return {};
  } else if (statement.is("Assert")) {
    const PythonNode& condition = statement.one("test");
    find_calls(condition, state, true);
    const std::optional<bool> truth = conditions_.truth_of(condition, state);
    if (truth == false) return {};
    if (!truth) note_unclear(condition, state);
    assume(condition, true, state);
  } else if (statement.is("AugAssign")) {
    find_calls(value, state);
    const PythonNode& target = statement.one("target");
    const AbstractValue* const known = state.find(dotted_name(target));
    const bool joins = statement.word == "Add" || statement.word == "BitOr";
    AbstractValue result;
    if (known && joins && (known->kind == Kind::Keywords || known->kind == Kind::Positionals)) {
      result = *known;
      result.join(value_of(value, state), result.kind);
    }
    const auto before = conditions_.constant_of(target, state), with = conditions_.constant_of(value, state);
    result.constant = before && with ? operate(*before, statement.word, *with) : std::nullopt;
    if (result.constant && result.kind == Kind::Unknown) result = AbstractValue::of(*result.constant);
    give(target, result, state);
  } else if (statement.is("Assign") || (statement.is("AnnAssign") && value)) {
    States ends = assign(statement.all(statement.is("Assign") ? "targets" : "target"), value, std::move(state));
    for (PythonState& end : ends) {
      change_all(statement, end);
      forget_given(statement, end);
    }
    return ends;
  } else if (statement.is("Delete")) {
    for (const PythonNode& target : statement.all("targets")) remove(target, state);
  } else if (statement.is("Expr")) {
    find_calls(value, state, true);
    change_all(statement, state);
  }
  forget_given(statement, state);
  return {std::move(state)};
}

}  // namespace ropewalk::compat
