#include "lib/compat/read_calls.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/compat/class_tree.h"
#include "lib/compat/dispatch.h"
#include "lib/compat/for_now.h"
#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

constexpr size_t most_ways = 512;
const std::string no_context = ".";  // that no expression begins with

// The names that a function declares global, or writes as one of the module, or those of the function around it.
std::set<std::string> names_declared(const PythonNode& function) {
  std::set<std::string> names;
  visit_statements(function.all("body"), [&](const PythonNode& statement) {
    for (const auto& [name, value] : globals_given(statement)) names.insert(name);
    if (!statement.is("Global") && !statement.is("Nonlocal")) return;
    names.merge(names_of_words(statement.word));
  });
  return names;
}

// Names of the function that functions inside of it give a value.
std::set<std::string> names_of_outer(const PythonNode& function) {
  std::set<std::string> names;
  visit_statements(function.all("body"), [&](const PythonNode& statement) {
    if (statement.is("Nonlocal")) names.merge(names_of_words(statement.word));
  });
  return names;
}

}  // namespace

CallsRead read_calls(const PythonFile& file, const CallOrder& order, const OwnModules& modules) {
  return CallWalk(file, order, modules).run();
}

CallWalk::CallWalk(const PythonFile& file, const CallOrder& order, const OwnModules& modules)
    : file_(file),
      provider_(modules.provider()),
      order_(order),
      modules_(modules),
      relevant_(relevant_names(file, modules.provider())),
      changed_(changed_names(file.statements)),
      changed_later_(changed_in_functions(file.statements)),
      attributes_given_(attributes_given(file.statements)),
      reach_(order),
      conditions_(file, modules, result_.versions) {}

CallWalk::States CallWalk::module_ends() {
  States ends = block(file_.statements, {PythonState{}});
  const VersionTests* const tests = modules_.tests_of(file_);
  for (PythonState& end : ends) {
    // A collection that is still empty is one that other modules fill.
    std::set<std::string> empty;
    for (const auto& [name, value] : end.values) {
      const auto items = value.constant ? value.constant->elements() : std::nullopt;
      if (items && items->empty() && !(tests && tests->is_made(name))) empty.insert(name);
    }
    end.forget_items(empty);
  }
  return ends;
}

CallsRead CallWalk::run() {
  const States module_ends = this->module_ends();
  in_module_ = false;
  const States ends = with_globals(later_, module_ends);
  functions(later_, ends);
  functions_with_more(ends);
  std::map<std::string, std::string> unknown = reach_.unknown();
  if (const VersionTests* const tests = modules_.tests_of(file_)) {
    for (const auto& [function, choice] : chosen_by_version(file_, *tests))
      unknown.emplace(function, depends_on(choice));
  }
  const auto tell = [&](auto& one) {
    const auto found = unknown.find(one.scope.substr(0, one.scope.find('.')));
    if (one.unclear.empty() && found != unknown.end()) one.unclear = found->second;
  };
  std::ranges::for_each(result_.calls, tell);
  std::ranges::for_each(result_.missing, tell);
  std::stable_sort(result_.calls.begin(), result_.calls.end(),
                   [](const Call& a, const Call& b) { return a.line < b.line; });
  return std::move(result_);
}

CallWalk::States CallWalk::with_globals(const std::vector<Later>& later, const States& module_ends) {
  std::map<std::string, std::vector<AbstractValue>> given;
  for (const Later& one : later) {
    const std::set<std::string> names = names_declared(*one.function);
    if (names.empty()) continue;
    AskedLines asked(one.function->all("body"));
    for (const std::string& name : names) asked.keep(name);
    for (const PythonState& start : module_ends) {
      // Its calls are found when it is walked in its turn.
      CallWalk inside(file_, order_, modules_);
      inside.in_module_ = false;
      inside.relevant_ = names;  // ways differ in nothing else that outlives the function
      inside.asked_ = &asked;
      inside.keeps_decisions_ = false;
      for (const PythonState& end : inside.block(one.function->all("body"), {start})) {
        for (const std::string& name : names) {
          const AbstractValue* const value = end.find(name);
          std::vector<AbstractValue>& values = given[name];
          if (value && std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
        }
      }
    }
  }
  States ends = module_ends;
  for (const auto& [name, values] : given) {
    States wider;
    for (const PythonState& end : ends) {
      // What the module itself has given it is what it has until the function is called.
      const AbstractValue* const own = end.find(name);
      const bool is_none = own && own->constant && own->constant->kind == PythonConstant::Kind::None;
      if (values.empty() || (own && !is_none)) wider.push_back(end);
      for (const AbstractValue& value : values) {
        if (own && *own == value) continue;
        wider.push_back(end);
        wider.back().set(name, value);
      }
    }
    if (wider.size() <= most_ways) ends = std::move(wider);
  }
  return ends;
}

CallWalk::States CallWalk::limited(States states, u64 line) {
  if (states.size() < 2) return states;
  std::set<std::string> agreed;  // of what the class is made with
  if (kept_) {
    for (const auto& [text, truth] : states.front().decided) {
      if (text.starts_with(own_) && agree(states, text)) agreed.insert(text);
    }
  }
  for (PythonState& state : states) {
    if (!keeps_decisions_) {
      state.decided = {};
      state.domains = {};
    }
    if (!asked_) break;
    const auto is_over = [&](const auto& one) {
      const bool is_own = one.first.starts_with(own_) && (has_context_ || agreed.count(one.first));
      return asked_->last(one.first) <= line && !is_own;
    };
    state.values.erase_if(is_over);
    state.decided.erase_if(is_over);
    state.domains.erase_if(is_over);
    std::erase_if(state.at_run_time, [&](const std::string& name) { return asked_->last(name) <= line; });
  }
  States unique;
  std::unordered_multimap<size_t, size_t> by_hash;  // indices
  for (PythonState& state : states) {
    if (unique.size() >= most_ways) {
      result_.too_many_ways = true;
      break;
    }
    const size_t hash = state.hash();
    const auto [first, last] = by_hash.equal_range(hash);
    if (std::any_of(first, last, [&](const auto& one) { return unique[one.second] == state; })) continue;
    by_hash.emplace(hash, unique.size());
    unique.push_back(std::move(state));
  }
  return unique;
}

CallWalk::States CallWalk::block(const std::vector<PythonNode>& body, States states) {
  for (size_t n = 0; n < body.size() && !states.empty(); ++n) states = statement(body[n], std::move(states));
  return states;
}

CallWalk::States CallWalk::statement(const PythonNode& one, States states) {
  forget_asked_results(one, states);
  const bool defines = one.is_function() || one.is("ClassDef");
  std::set<std::string> unclear;
  for (const PythonState& state : states) unclear.insert(state.unclear.empty() ? "" : *state.unclear.begin());
  if (!unclear.empty()) {
    const auto [known, is_new] = result_.reached.try_emplace(&one, *unclear.begin());
    if (!is_new && unclear.begin()->empty()) known->second.clear();
  }
  const auto mention = [&](const PythonNode& node) {
    for (const std::string& test : unclear) {
      if (node.is("Name")) reach_.mention(node.word, scope_.substr(0, scope_.find('.')), test);
    }
  };
  for (const char* field : {"targets", "target", "annotation"}) {
    for (const PythonNode& node : one.all(field)) visit_nodes(node, mention);
  }
  if (defines) visit_expressions(one, mention);
  if (one.is("If")) return branches(one, std::move(states));
  if (one.is("Match")) return cases(one, std::move(states));
  if (one.is("Try") || one.is("TryStar")) return attempt(one, std::move(states));
  // A definition takes the place of what had its name.
  if (!in_class_ && defines) {
    const AbstractValue defined{AbstractValue::Kind::Defined, one.word, "", &file_, &one};
    for (PythonState& state : states) state.set(one.word, one.is_function() ? defined : AbstractValue{});
  }
  if (one.is_function()) {
    const std::string scope = (scope_.empty() ? "" : scope_ + ".") + one.word;
    if (in_module_) {
      later_.push_back({&one, scope, classes_});
    } else {
      for (PythonState state : states) {
        if (is_run(one, state)) function(one, std::move(state), scope, {});
      }
    }
    return states;
  }
  if (one.is("ClassDef")) return class_definition(one, std::move(states));
  if (one.all("body").empty()) {
    States out;
    for (PythonState& state : states) {
      for (PythonState& way : ways_of_arguments(one, state)) {
        const std::set<std::string> of_way = way.unclear;
        for (PythonState& next : simple(one, std::move(way))) {
          end_ways_of_arguments(one, state.unclear, of_way, next);
          out.push_back(std::move(next));
        }
      }
    }
    return limited(std::move(out), one.last_line);
  }
  if (!one.is("With") && !one.is("AsyncWith")) return loop(one, std::move(states));
  for (const PythonState& state : states) find_calls_of(one, state);
  std::erase_if(states, [&](PythonState& state) { return !is_entered(one, state); });
  for (PythonState& state : states) {
    for (const PythonNode& item : one.all("items")) {
      if (item.one("optional_vars")) give(item.one("optional_vars"), {}, state);
    }
  }
  return attempt(one, std::move(states));
}

CallWalk::States CallWalk::branches(const PythonNode& one, States states) {
  const std::vector<PythonNode>&yes = one.all("body"), &no = one.all("orelse");
  const bool matters = changes_any(yes, relevant_) || changes_any(no, relevant_);
  States out;
  for (PythonState& state : states) {
    const PythonNode& condition = one.one("test");
    find_calls(condition, state, true);
    give_named(one, state);
    change_all(one, state);
    if (const std::optional<bool> truth = conditions_.truth_of(condition, state)) {
      for (PythonState& end : block(*truth ? yes : no, {std::move(state)})) out.push_back(std::move(end));
      continue;
    }
    PythonState before = state;
    note_unclear(condition, state);
    PythonState taken = state;
    assume(condition, true, taken);
    assume(condition, false, state);
    States ends = block(yes, {std::move(taken)}), others = block(no, {std::move(state)});
    const bool one_ends = ends.empty() || others.empty();
    for (PythonState& end : others) ends.push_back(std::move(end));
    if (!matters && !one_ends) {
      for (const std::vector<PythonNode>* way : {&yes, &no}) {
        before.doubt(assigned_names(*way));
        before.forget_items(changed_names(*way));
        before.open_items(assigned_names(*way), changed_names(*way));
      }
      ends = {std::move(before)};
    }
    for (PythonState& end : ends) out.push_back(std::move(end));
  }
  return limited(std::move(out), one.last_line);
}

CallWalk::States CallWalk::cases(const PythonNode& one, States states) {
  States out;
  for (PythonState& state : states) {
    find_calls(one.one("subject"), state, true);
    note_unclear(one.one("subject"), state);
    for (const PythonNode& each : one.all("cases")) {
      state.doubt(assigned_names(each.all("body")));
      state.forget_items(changed_names(each.all("body")));
    }
    for (const PythonNode& each : one.all("cases")) {
      const std::optional<bool> fits = each.one("guard") ? conditions_.truth_of(each.one("guard"), state) : true;
      if (fits == false) continue;
      if (!fits) note_unclear(each.one("guard"), state);
      for (PythonState& end : block(each.all("body"), {state})) out.push_back(std::move(end));
    }
    out.push_back(std::move(state));
  }
  return limited(std::move(out), one.last_line);
}

void CallWalk::functions(std::vector<Later> later, const States& module_ends) {
  while (!later.empty()) {
    const auto waits = [&](const Later& one) {
      const auto& before = order_.before(*one.function);
      return std::any_of(later.begin(), later.end(), [&](const Later& other) { return before.count(other.function); });
    };
    auto next = std::find_if_not(later.begin(), later.end(), waits);
    // Functions that call each other in a circle: one of them is walked as if anybody called it.
    if (next == later.end()) {
      next = later.begin();
      given_[next->function] = {};
      if (const PythonNode* const first = order_.comes_after(*next->function)) ends_[first].insert(Truths{});
    }
    const Later one = *next;
    later.erase(next);
    visit(one, module_ends);
  }
}

void CallWalk::functions_with_more(const States& module_ends) {
  const auto given_more = given_more_;
  for (const Later& one : later_) {
    const auto found = given_more.find(one.function);
    if (found == given_more.end()) continue;
    for (const Given& given : found->second) visit(one, module_ends, &given);
  }
}

void CallWalk::visit(const Later& one, const States& module_ends, const Given* of_call) {
  const PythonNode& definition = *one.function;
  const auto given = given_.find(&definition);
  if (order_.is_local(definition) && given == given_.end()) return;  // no call of it is reached
  method_of_ = one.classes.empty() ? nullptr : one.classes.back();
  own_name_ = method_of_ ? own_of(definition) : "";
  std::set<Truths> starts = {{}};
  if (const PythonNode* const first = order_.comes_after(definition)) starts = ends_[first];
  for (PythonState end : module_ends) {
    const auto runs = [&](const PythonNode* around) { return is_run(*around, end); };
    if (!std::ranges::all_of(one.classes, runs) || !is_run(definition, end)) continue;
    for (const Truths& start : starts) {
      Given known = of_call ? *of_call : given == given_.end() ? Given{} : given->second;
      known.truths.insert(start.begin(), start.end());
      ends_[&definition].merge(function(definition, end, one.scope, known));
    }
  }
  if (order_.keeps(definition)) ends_[&definition] = in_common(ends_[&definition]);
}

std::set<CallWalk::Truths> CallWalk::in_common(const std::set<Truths>& ends) const {
  if (ends.empty()) return {};
  Truths common = *ends.begin();
  std::erase_if(common, [&](const auto& one) {
    const std::string attribute = name_in(one.first.substr(0, one.first.find(' ')), false);
    return attribute.empty() || order_.is_changed(attribute) || std::ranges::any_of(ends, [&](const Truths& other) {
             const auto found = other.find(one.first);
             return found == other.end() || found->second != one.second;
           });
  });
  return {common};
}

bool CallWalk::agree(const States& states, const std::string& text) {
  const auto first = states.front().decided->find(text);
  return std::ranges::all_of(states, [&](const PythonState& state) {
    const auto found = state.decided->find(text);
    return found != state.decided->end() && found->second == first->second;
  });
}

void CallWalk::assume(const PythonNode& condition, bool truth, PythonState& state) const {
  conditions_.assume(condition, truth, state);
  tell_attributes(state);
}

void CallWalk::tell_attributes(PythonState& state) const {
  if (!kept_) return;
  Truths as_attribute;
  for (const auto& [name, attribute] : *kept_) {
    for (const auto& [text, known] : state.decided) {
      if (mentions(text, name)) as_attribute[renamed(text, name, attribute)] = known;
    }
  }
  for (const auto& [text, known] : as_attribute) state.decided.own()[text] = known;
}

std::set<CallWalk::Truths> CallWalk::function(const PythonNode& definition, PythonState state, const std::string& scope,
                                              const Given& known) {
  std::set<Truths> all;
  const std::vector<NamedText> parameters = parameters_of(definition);
  const ForNow here(scope_, scope);
  const ForNow in_class(in_class_, false);
  const ForNow asked(asked_, &asked_lines_.try_emplace(&definition, definition.all("body")).first->second);
  const ForNow has_context(has_context_, order_.has_context(definition) && !parameters.empty());
  const ForNow kept(kept_, parameters.empty() ? nullptr : order_.keeps(definition));
  const ForNow own(own_, has_context_ || kept_ ? parameters[0].name + "." : no_context);
  const ForNow ends(ends_here_, &all);
  const ForNow of(definition_, &definition);
  const ForNow nonlocal(nonlocal_, names_of_outer(definition));
  const bool were_too_many = std::exchange(result_.too_many_ways, false);
  if (!state.in_function) state.globals = state.values;
  state.in_function = true;
  const std::map<std::string, AbstractValue> otherwise = known_by_default(definition, state);
  for (const NamedText& parameter : parameters) state.set(parameter.name, {});
  for (const auto& [name, value] : otherwise) state.set(name, value);
  give_own_attributes(state);
  for (const PythonNode& parameter : definition.all("parameters")) {
    // There may be anything in **more, and what is put into it is there as well.
    if (!parameter.is("AnyKeyword")) continue;
    AbstractValue more = AbstractValue::of_more(AbstractValue::Kind::Keywords);
    if (known.more) {
      more.items = *known.more;
      more.open = false;
    }
    state.set(parameter.word, more);
  }
  for (const auto& [name, constant] : known.constants) state.set(name, AbstractValue::of(constant));
  for (const auto& [text, truth] : known.truths) state.decided.own()[text] = truth;
  for (const PythonState& end : block(definition.all("body"), {std::move(state)})) come_to_end(end);
  if (result_.too_many_ways) all.insert(Truths{});  // a way that was left out may end with anything
  result_.too_many_ways = result_.too_many_ways || were_too_many;
  return all;
}

std::map<std::string, AbstractValue> CallWalk::known_by_default(const PythonNode& definition,
                                                                const PythonState& state) const {
  std::map<std::string, AbstractValue> known;
  const VersionTests* const tests = modules_.tests_of(file_);
  for (const PythonNode& parameter : definition.all("parameters")) {
    const PythonNode& otherwise = parameter.one("default");
    AbstractValue value = conditions_.named(otherwise, state);
    const bool is_test = tests && otherwise && tests->is_one(otherwise);
    const auto constant = is_test ? conditions_.constant_of(otherwise, state) : std::nullopt;
    if (constant) value = AbstractValue::of(*constant);
    const bool is_known = value.kind == AbstractValue::Kind::Function || constant;
    if (is_known && !may_be_given(file_.statements, definition, parameter)) known[parameter.word] = value;
  }
  return known;
}

void CallWalk::come_to_end(const PythonState& state) {
  if (!ends_here_) return;
  Truths own;
  for (const auto& [text, truth] : state.decided) {
    if (text.starts_with(own_)) own[text] = truth;
  }
  ends_here_->insert(std::move(own));
}

}  // namespace ropewalk::compat
