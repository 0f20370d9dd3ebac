// What classes of a source have as attributes: constants, and members of enumerations.
#include <algorithm>
#include <array>

#include "lib/compat/conditions.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using Likeness = PythonConstant::Likeness;
using Result = std::optional<PythonConstant>;

}  // namespace

AbstractValue Conditions::class_member(const AbstractValue& owner, const std::string& name, const PythonState& state,
                                       int depth) const {
  const std::string path = owner.name + "." + name;
  const AbstractValue* const known = owner.file == &file_ ? state.find(path) : nullptr;
  const AbstractValue value = known ? *known
                              : owner.file != &file_
                                  ? resolved({AbstractValue::Kind::Imported, path, owner.file->module, owner.file})
                                  : AbstractValue{};
  if (value.kind != AbstractValue::Kind::Unknown || depth >= most_bases || owner.file != &file_) return value;
  for (const PythonNode& base : owner.definition->all("bases")) {
    const AbstractValue above = named(base, state);
    if (above.kind != AbstractValue::Kind::Class) continue;
    const AbstractValue found = class_member(above, name, state, depth + 1);
    if (found.kind != AbstractValue::Kind::Unknown) return found;
  }
  return {};
}

std::optional<ClassKind> Conditions::kind_of_class(const PythonNode& definition, const PythonState& state,
                                                   int depth) const {
  static constexpr std::array plain_decorators = {"unique", "dataclass", "total_ordering", "final"};
  if (depth >= most_bases) return std::nullopt;  // or classes of one name
  ClassKind kind;
  bool is_value = false, is_flag = false;
  for (const PythonNode& decorator : definition.all("decorator_list")) {
    const std::string& word = decorator.is("Call") ? decorator.one("func").word : decorator.word;
    if (std::ranges::find(plain_decorators, word) == plain_decorators.end()) return std::nullopt;
  }
  if (!definition.all("keywords").empty()) return std::nullopt;
  for (const PythonNode& base : definition.all("bases")) {
    const std::string path = imported_path(base, state), word = path.substr(path.rfind('.') + 1);
    const AbstractValue above = named(base, state);
    const bool is_enumeration = path.starts_with("enum.");
    kind.enumeration = kind.enumeration || is_enumeration;
    is_value =
        is_value || word == "IntEnum" || word == "StrEnum" || word == "IntFlag" || path == "str" || path == "int";
    is_flag = is_flag || word == "Flag" || word == "IntFlag";
    const bool is_known = is_enumeration || path == "str" || path == "int" || path == "object" ||
                          above.kind == AbstractValue::Kind::Class;
    if (!is_known) return std::nullopt;
    if (above.kind == AbstractValue::Kind::Class) {
      const auto other = kind_of_class(*above.definition, state, depth + 1);
      if (!other || other->enumeration || above.file != &file_) return std::nullopt;
    }
  }
  kind.like = is_value ? (is_flag ? Likeness::Both : Likeness::Value) : is_flag ? Likeness::Flag : Likeness::None;
  if (!kind.enumeration && is_value) return std::nullopt;
  return kind;
}

// Mode("new") of an enumeration.
Result Conditions::member_of_value(const AbstractValue& owner, const PythonNode& call, const PythonState& state) const {
  const Result value = call.all("args").size() == 1 ? constant_of(call.one("args"), state) : std::nullopt;
  if (!value) return std::nullopt;
  for (const PythonNode& statement : owner.definition->all("body")) {
    const PythonNode& target = statement.one("targets");
    const AbstractValue member = target.is("Name") ? class_member(owner, target.word, state) : AbstractValue{};
    const bool is_member = member.constant && member.constant->kind == Constant::Kind::Member;
    if (is_member && compare(member.constant->items.front(), "Eq", *value) == true) return member.constant;
  }
  return std::nullopt;
}

}  // namespace ropewalk::compat
