// Classes of a caller's source, and what their attributes are.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "lib/compat/for_now.h"
#include "lib/compat/relevant.h"
#include "lib/compat/version_tests.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using Kind = AbstractValue::Kind;

// Names that the statements of a class's body give something once, in their order; functions in it are left out.
std::vector<const PythonNode*> attributes_of(const PythonNode& definition) {
  std::vector<const PythonNode*> statements;
  for (const PythonNode& one : definition.all("body")) {
    const PythonNode& target = one.one(one.is("AnnAssign") ? "target" : "targets");
    if ((one.is("Assign") || one.is("AnnAssign")) && target.is("Name")) statements.push_back(&one);
  }
  return statements;
}

// Whether the definition is a method that an object of the class, or the class itself, is given first.
bool has_own(const PythonNode& definition, const PythonNode& of_class) {
  const auto is_it = [&](const PythonNode& one) { return &one == &definition; };
  const auto is_static = [](const PythonNode& one) { return one.word == "staticmethod"; };
  return std::ranges::any_of(of_class.all("body"), is_it) &&
         std::ranges::none_of(definition.all("decorator_list"), is_static);
}

// Attributes that a method asks its object for, "NEW" of `self.NEW`.
std::set<std::string> asked_attributes(const PythonNode& method, const std::string& own) {
  std::set<std::string> names;
  visit_statements(method.all("body"), [&](const PythonNode& statement) {
    visit_expressions(statement, [&](const PythonNode& one) {
      if (one.is("Attribute") && one.text == own + one.word) names.insert(one.word);
    });
  });
  return names;
}

// How often something is given an attribute of the name; what says it as a text may give it, too.
u64 times_given(const std::vector<PythonNode>& body, const std::string& name) {
  u64 times = 0;
  const auto add_targets = [&](const PythonNode& target) {
    visit_nodes(target, [&](const PythonNode& one) { times += one.is("Attribute") && one.word == name; });
  };
  visit_statements(body, [&](const PythonNode& statement) {
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) add_targets(target);
    }
    for (const PythonNode& item : statement.all("items")) {
      for (const PythonNode& target : item.all("optional_vars")) add_targets(target);
    }
    times += (statement.is_function() || statement.is("ClassDef")) && statement.word == name;
    visit_expressions(statement, [&](const PythonNode& one) { times += one.is("Text") && one.word == name; });
  });
  return times;
}

// Whether the expression has a name that the function itself gives something.
bool has_name_of(const PythonNode& value, const PythonNode& function) {
  std::set<std::string> own = assigned_names(function.all("body"));
  for (const PythonNode& parameter : function.all("parameters")) own.insert(parameter.word);
  bool found = false;
  visit_nodes(value, [&](const PythonNode& one) { found = found || (one.is("Name") && own.count(one.word)); });
  return found;
}

// True, False and None are what a program sets at a class that is no enumeration: they may be others later.
bool is_setting(const PythonNode& value) { return value.is("Constant"); }

// enum.auto(): the next number, or the next bit.
std::optional<Constant> automatic(const PythonNode& value, std::optional<Constant> last, Constant::Likeness like) {
  const bool is_flag = like == Constant::Likeness::Flag || like == Constant::Likeness::Both;
  if (!value.is("Call") || value.one("func").word != "auto" || !value.all("args").empty()) return std::nullopt;
  const i64 before = last && last->kind == Constant::Kind::Number ? last->number : 0;
  return Constant::of_number(!is_flag ? before + 1 : before == 0 ? 1 : before * 2);
}

}  // namespace

CallWalk::States CallWalk::class_definition(const PythonNode& one, States states) {
  classes_.push_back(&one);
  const States ends = [&] {
    const ForNow here(scope_, scope_ + (scope_.empty() ? "" : ".") + one.word);
    const ForNow in_class(in_class_, true);
    return block(one.all("body"), states);
  }();
  classes_.pop_back();
  if (in_class_) return states;
  for (PythonState& state : states) {
    const auto kind = conditions_.kind_of_class(one, state);  // a base may have its name
    state.set(one.word, {Kind::Class, one.word, "", &file_, &one});
    if (kind) give_members(one, *kind, ends, state);
  }
  return states;
}

void CallWalk::give_own_attributes(PythonState& state) const {
  if (!method_of_ || own_name_.empty() || !has_own(*definition_, *method_of_)) return;
  const std::vector<const PythonNode*> below = order_.classes().below(*method_of_);
  for (const std::string& name : asked_attributes(*definition_, own_name_)) {
    const auto has_it = [&](const PythonNode* one) { return assigned_names(one->all("body")).count(name) > 0; };
    if (std::ranges::any_of(below, has_it)) continue;
    PythonNode attribute{"Attribute", name};
    attribute.fields = {{"value", {PythonNode{"Name", method_of_->word}}}};
    AbstractValue value = conditions_.named(attribute, state);
    if (value.kind == Kind::Unknown) value = given_by_constructor(name, state);
    if (value.kind == Kind::Constant) state.set(own_name_ + name, value);
  }
}

AbstractValue CallWalk::given_by_constructor(const std::string& name, const PythonState& state) const {
  const PythonNode* const constructor = method_of(*method_of_, "__init__");
  if (!constructor || constructor == definition_ || times_given(file_.statements, name) != 1) return {};
  const std::string own = own_of(*constructor);
  const VersionTests* const tests = modules_.tests_of(file_);
  for (const PythonNode& statement : constructor->all("body")) {
    const PythonNode& value = statement.one("value");
    if (!statement.is("Assign") || statement.one("targets").text != own + name) continue;
    if (!tests || !tests->is_one(value)) return {};
    const auto constant = has_name_of(value, *constructor) ? conditions_.value_in(*constructor, statement, state)
                                                           : conditions_.constant_of(value, state);
    return constant ? AbstractValue::of(*constant) : AbstractValue{};
  }
  return {};
}

void CallWalk::give_members(const PythonNode& one, const ClassKind& kind, const States& ends,
                            PythonState& state) const {
  if (ends.empty()) return;
  std::optional<Constant> last;
  for (const PythonNode* statement : attributes_of(one)) {
    const std::string& name = statement->one(statement->is("AnnAssign") ? "target" : "targets").word;
    const std::string path = one.word + "." + name;
    const AbstractValue* const first = ends.front().find(name);
    std::optional<Constant> value = first ? first->constant : std::nullopt;
    for (const PythonState& end : ends) {
      const AbstractValue* const other = end.find(name);
      if ((other != nullptr) != (first != nullptr) || (other && *other != *first)) value.reset();
    }
    if (!value && kind.enumeration) value = automatic(statement->one("value"), last, kind.like);
    last = value;
    if (!value || attributes_given_.count(name)) continue;
    if (!kind.enumeration && is_setting(statement->one("value"))) continue;
    if (!kind.enumeration) {
      state.set(path, AbstractValue::of(*value));
    } else if (value->kind == Constant::Kind::Number || value->kind == Constant::Kind::Text) {
      state.set(path, AbstractValue::of(Constant::of_member(path, *value, kind.like)));
    }
  }
}

}  // namespace ropewalk::compat
