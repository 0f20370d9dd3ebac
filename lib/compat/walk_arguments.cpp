// Collections of arguments, that calls unpack: what is in them, and the ways on which that differs.
#include <algorithm>
#include <utility>

#include "lib/compat/argument_parts.h"
#include "lib/compat/class_tree.h"
#include "lib/compat/for_now.h"
#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

using Kind = AbstractValue::Kind;

constexpr size_t most_ways_of_arguments = 64;  // of one statement
constexpr int most_makers = 3;                 // functions that call each other

// The node with another one in place of a name.
PythonNode with_name(const PythonNode& node, const std::string& name, const PythonNode& instead) {
  if (node.is("Name") && node.word == name) return instead;
  PythonNode copy = node;
  for (auto& [field, nodes] : copy.fields) {
    for (PythonNode& one : nodes) one = with_name(one, name, instead);
  }
  write_text(copy);
  return copy;
}

// A value of which the text alone is known.
PythonNode node_of(const std::string& text) {
  PythonNode node{text == "None" || text == "True" || text == "False" ? "Constant" : "Name", text};
  node.text = text;
  return node;
}

// The conditions of a comprehension for one item of a mapping: `v is not None` of ("softcap", "cap") is
// `cap is not None`.
std::vector<PythonNode> conditions_on(const NamedText& item, const PythonNode& loop) {
  const std::vector<PythonNode>& names = loop.one("target").all("elts");
  PythonNode key{"Text", item.name};
  write_text(key);
  std::vector<PythonNode> conditions;
  for (const PythonNode& one : loop.all("ifs")) {
    conditions.push_back(with_name(with_name(one, names[0].word, key), names[1].word, node_of(item.text)));
  }
  return conditions;
}

}  // namespace

CallWalk::States CallWalk::ways_of(const PythonNode& node, States states) {
  States ways;
  if (node.is("IfExp")) {
    for (const PythonState& state : states) {
      for (const bool way : {true, false}) {
        for (PythonState& one : outcome(node.one("test"), way, state)) {
          for (PythonState& end : ways_of(node.one(way ? "body" : "orelse"), {std::move(one)})) {
            ways.push_back(std::move(end));
          }
        }
      }
    }
    return ways;
  }
  if (node.is("BoolOp")) {
    const auto gives_items = [&](const PythonNode& part) {
      return !states.empty() && value_of(part, states.front()).is_collection();
    };
    if (std::ranges::none_of(node.all("values"), gives_items)) return states;
    // The operands behind the one that decides are not looked at.
    for (const PythonNode& part : node.all("values")) {
      States go_on;
      for (const PythonState& state : ways_of(part, std::move(states))) {
        if (&part == &node.all("values").back()) {
          ways.push_back(state);
          continue;
        }
        for (PythonState& one : outcome(part, node.word == "Or", state)) ways.push_back(std::move(one));
        for (PythonState& one : outcome(part, node.word != "Or", state)) go_on.push_back(std::move(one));
      }
      states = std::move(go_on);
    }
    return ways;
  }
  const bool is_followed = node.is("Call") && !states.empty() && !conditions_.constant_of(node, states.front());
  if (is_followed && !functions_called(node, states.front()).empty()) {
    for (PythonState& state : states) {
      const std::vector<Made> made = made_by(node, state);
      for (const Made& one : made) {
        ways.push_back(state);
        ways.back().values.own()[node.text] = one.value;
        ways.back().unclear.insert(one.unclear.begin(), one.unclear.end());
      }
      if (made.empty()) ways.push_back(std::move(state));
    }
    return ways;
  }
  visit_parts(node, [&](const PythonNode& part) { states = ways_of(part, std::move(states)); });
  if (!node.is("DictComp")) return states;
  // An item is there where its conditions hold.
  for (const PythonState& state : states) {
    States of_state = {state};
    for (const NamedText& item : filtered_whole(node, state).items) {
      for (const PythonNode& condition : conditions_on(item, node.one("generators"))) {
        States both;
        for (const PythonState& one : of_state) {
          for (const bool way : {true, false}) {
            for (PythonState& end : outcome(condition, way, one)) both.push_back(std::move(end));
          }
        }
        if (both.size() <= most_ways_of_arguments) of_state = std::move(both);
      }
    }
    for (PythonState& end : of_state) ways.push_back(std::move(end));
  }
  return ways;
}

CallWalk::States CallWalk::outcome(const PythonNode& test, bool truth, PythonState state) {
  const std::optional<bool> known = truth_of_part(test, state);
  if (known && *known != truth) return {};
  if (!known) {
    note_unclear(test, state);
    assume(test, truth, state);
  }
  return {std::move(state)};
}

std::optional<bool> CallWalk::truth_of_part(const PythonNode& node, const PythonState& state) {
  if (const std::optional<bool> truth = conditions_.truth_of(node, state)) return truth;
  return node.is("Name") || node.is("Attribute") ? std::nullopt : value_of(node, state).has_items();
}

CallWalk::States CallWalk::ways_of_arguments(const PythonNode& statement, const PythonState& state) {
  States ways = {state};
  const auto take = [&](const PythonNode& one) {
    if (ways.size() < most_ways_of_arguments) ways = ways_of(one, std::move(ways));
  };
  visit_expressions(statement, [&](const PythonNode& call) {
    const PythonNode& callee = call.one("func");
    const bool is_taken = call.is("Call") && (callee.word == "partial" || callee.is("IfExp") ||
                                              conditions_.named(callee, state).kind == Kind::Function);
    if (is_taken) visit_unpacked(call, take);
  });
  const bool is_of_maker = statement.is("Return") && definition_ && definition_ == maker_;
  const bool leaves = statement.is("Return") || statement.is("Raise") || statement.is("Assert");
  if (is_of_maker || (!leaves && changes_any({statement}, relevant_))) take(statement.one("value"));
  return ways;
}

void CallWalk::end_ways_of_arguments(const PythonNode& statement, const std::set<std::string>& before,
                                     const std::set<std::string>& of_way, PythonState& end) const {
  end.values.erase_if([](const auto& one) { return one.first.find('(') != std::string::npos; });
  // What a call unpacks bears on nothing behind it.
  if (changes_any({statement}, relevant_)) return;
  for (const std::string& test : of_way) {
    if (!before.count(test)) end.unclear.erase(test);
  }
}

std::vector<CallWalk::Called> CallWalk::functions_called(const PythonNode& call, const PythonState& state) const {
  const PythonNode& callee = call.one("func");
  if (!call.is("Call")) return {};
  std::vector<Called> found;
  if (const AbstractValue function = conditions_.named(callee, state); function.kind == Kind::Defined) {
    if (function.file == &file_) found.push_back({function.definition, nullptr});
  } else if (method_of_ && callee.is("Attribute")) {
    found = methods_called(callee);
  }
  const bool is_plain = std::ranges::all_of(found, [&](const Called& one) {
    return one.function->is("FunctionDef") && one.function->all("decorator_list").empty() &&
           one.function != definition_;
  });
  return is_plain ? found : std::vector<Called>{};
}

std::vector<CallWalk::Called> CallWalk::methods_called(const PythonNode& callee) const {
  const PythonNode& owner = callee.one("value");
  const bool above = owner.is("Call") && owner.text == "super()";
  if ((!above && owner.word + "." != own_name_) || attributes_given_.count(callee.word)) return {};
  const ClassTree& tree = order_.classes();
  std::vector<Called> found;
  const PythonNode* const own = above ? nullptr : method_of(*method_of_, callee.word);
  if (own) found.push_back({own, method_of_});
  if (!own) {
    const auto inherited = tree.inherited(*method_of_, callee.word);
    if (inherited) found.push_back({inherited->first, inherited->second});
  }
  if (above || found.empty()) return found;
  for (const PythonNode* below : tree.below(*method_of_)) {
    if (const PythonNode* const other = method_of(*below, callee.word)) found.push_back({other, below});
  }
  return found;
}

std::vector<CallWalk::Made> CallWalk::made_by(const PythonNode& call, const PythonState& state) {
  std::vector<Made> all;
  for (const Called& called : functions_called(call, state)) {
    const std::vector<Made> made = made_by(called, call, state);
    if (made.empty()) return {};
    for (const Made& one : made) {
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

std::vector<CallWalk::Made> CallWalk::made_by(const Called& called_one, const PythonNode& call,
                                              const PythonState& state) {
  const PythonNode* const function = called_one.function;
  if (makers_ >= most_makers) return {};
  LocalFunction called{function, parameters_of(*function)};
  const bool is_method = called_one.of_class != nullptr;
  Given known;
  if (is_method && !called.parameters.empty()) {
    const std::string own = called.parameters.front().name + ".";
    called.parameters.erase(called.parameters.begin());
    for (const auto& [text, truth] : state.decided) {
      if (own == own_name_ && text.starts_with(own)) known.truths[text] = truth;
    }
  }
  // Its calls are found when it is walked in its turn.
  {
    const ForNow given(given_, decltype(given_)());
    pass(called, call, state);
    known.constants = given_[function].constants;
    known.truths.merge(given_[function].truths);
  }
  std::vector<Made> made;
  const ForNow calls(result_.calls, std::vector<Call>());
  const ForNow missing(result_.missing, std::vector<MissingName>());
  const ForNow lost(result_.lost, std::vector<LostFunction>());
  const ForNow too_many_ways(result_.too_many_ways, false);
  const ForNow caught(caught_, decltype(caught_)());
  const ForNow continued(continued_, nullptr);
  const ForNow broken(broken_, nullptr);
  const ForNow in_module(in_module_, false);
  const ForNow maker(maker_, function);
  const ForNow made_here(made_, &made);
  const ForNow makers(makers_, makers_ + 1);
  const ForNow of_class(method_of_, is_method ? called_one.of_class : method_of_);
  const ForNow own_name(own_name_, is_method ? own_of(*function) : own_name_);
  PythonState start;
  start.values = state.module_values();
  this->function(*function, start, function->word, known);
  if (result_.too_many_ways) made.clear();
  const auto is_unknown = [](const Made& one) { return !one.value.is_collection(); };
  if (made.size() > most_ways_of_arguments || std::ranges::any_of(made, is_unknown)) return {};
  return made;
}

AbstractValue CallWalk::either_of(const PythonNode& node, const PythonState& state) {
  for (const PythonNode& part : node.all("values")) {
    const std::optional<bool> truth = truth_of_part(part, state);
    if (truth == (node.word == "Or") || (truth && &part == &node.all("values").back())) return value_of(part, state);
    if (!truth) break;
  }
  return {};
}

AbstractValue CallWalk::mapping_of(const PythonNode& node, const PythonState& state) {
  AbstractValue mapping{Kind::Keywords};
  for (size_t n = 0; n < node.all("keys").size(); ++n) {
    const PythonNode &key = node.all("keys")[n], &value = node.all("values")[n];
    if (key.is("Rest")) {
      mapping.join(value_of(value, state), Kind::Keywords);
    } else if (key.is("Text")) {
      mapping.put(key.word, value.text);
    } else {
      mapping.open = true;
    }
  }
  mapping.constant = in_module_ ? conditions_.constant_of(node, state) : std::nullopt;
  // dict(x=1, **other), and what update() is given.
  for (const PythonNode& one : node.all("args")) mapping.join(value_of(one, state), Kind::Keywords);
  for (const PythonNode& one : node.all("keywords")) {
    if (one.word.empty()) {
      mapping.join(value_of(one.one("value"), state), Kind::Keywords);
    } else {
      mapping.put(one.word, one.one("value").text);
    }
  }
  return mapping;
}

AbstractValue CallWalk::filtered_whole(const PythonNode& node, const PythonState& state) {
  const PythonNode &loop = node.one("generators"), &items = loop.one("iter");
  const std::vector<PythonNode>& names = loop.one("target").all("elts");
  const bool is_filter = node.is("DictComp") && node.all("generators").size() == 1 && names.size() == 2 &&
                         items.is("Call") && items.one("func").word == "items" &&
                         node.one("key").text == names[0].text && node.one("value").text == names[1].text;
  AbstractValue mapping = is_filter ? value_of(items.one("func").one("value"), state) : AbstractValue{};
  return mapping.kind == Kind::Keywords ? mapping : AbstractValue{};
}

AbstractValue CallWalk::filtered(const PythonNode& node, const PythonState& state) {
  AbstractValue mapping = filtered_whole(node, state);
  std::vector<NamedText> all;
  std::swap(all, mapping.items);
  for (NamedText& item : all) {
    std::optional<bool> taken = true;
    for (const PythonNode& condition : conditions_on(item, node.one("generators"))) {
      const std::optional<bool> truth = conditions_.truth_of(condition, state);
      taken = taken == false || truth == false ? std::optional(false) : taken && truth ? truth : std::nullopt;
    }
    if (taken == true) mapping.items.push_back(std::move(item));
    if (!taken) mapping.open = true;
  }
  return mapping;
}

AbstractValue CallWalk::partial_of(const PythonNode& node, const PythonState& state) {
  const std::vector<PythonNode>& given = node.all("args");
  if (!node.is("Call") || node.one("func").word != "partial" || given.empty()) return {};
  AbstractValue function = given[0].is("Call") ? value_of(given[0], state) : conditions_.named(given[0], state);
  if (function.kind != Kind::Function) return {};
  for (size_t n = 1; n < given.size(); ++n) {
    const AbstractValue several = given[n].is("Starred") ? value_of(given[n].one("value"), state) : AbstractValue{};
    if (given[n].is("Starred") && (several.kind != Kind::Positionals || several.open)) return {};
    if (!given[n].is("Starred")) function.items.push_back({"", given[n].text});
    function.items.insert(function.items.end(), several.items.begin(), several.items.end());
  }
  PythonNode keywords{"Call"};
  keywords.fields.emplace_back("keywords", node.all("keywords"));
  const AbstractValue named = mapping_of(keywords, state);
  for (const NamedText& item : named.items) function.put(item.name, item.text);
  function.open = function.open || named.open;
  return function;
}

AbstractValue CallWalk::sequence_of(const PythonNode& node, const PythonState& state) {
  AbstractValue sequence{Kind::Positionals};
  for (const PythonNode& one : node.all("elts")) {
    if (one.is("Starred")) {
      sequence.join(value_of(one.one("value"), state), Kind::Positionals);
    } else {
      sequence.items.push_back({"", one.text});
    }
  }
  sequence.open = sequence.open || node.is("ListComp") || node.is("GeneratorExp");
  sequence.constant = conditions_.constant_of(node, state);
  return sequence;
}

}  // namespace ropewalk::compat
