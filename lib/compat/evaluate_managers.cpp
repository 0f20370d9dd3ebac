// Context managers that sources define: whether entering one raises, before the block of its `with` is run.
#include <algorithm>

#include "lib/compat/class_tree.h"
#include "lib/compat/conditions.h"
#include "lib/compat/version_tests.h"

namespace ropewalk::compat {
namespace {

// The call with the object itself before the arguments.
PythonNode with_object(PythonNode call) {
  const auto found = std::ranges::find_if(call.fields, [](const auto& one) { return one.first == "args"; });
  if (found == call.fields.end()) {
    call.fields.emplace_back("args", std::vector<PythonNode>{PythonNode{"Constant"}});
  } else {
    found->second.insert(found->second.begin(), PythonNode{"Constant"});
  }
  return call;
}

}  // namespace

bool is_generator(const PythonNode& definition) {
  const auto yields = [](const auto& self, const std::vector<PythonNode>& body) -> bool {
    return std::ranges::any_of(body, [&](const PythonNode& statement) {
      if (statement.is_function() || statement.is("ClassDef")) return false;
      bool found = false;
      visit_expressions(statement,
                        [&](const PythonNode& one) { found = found || one.is("Yield") || one.is("YieldFrom"); });
      return found || std::ranges::any_of(statement.fields, [&](const auto& field) {
               return is_block(field.first) && self(self, field.second);
             });
    });
  };
  return yields(yields, definition.all("body"));
}

AbstractValue Conditions::method_named(const AbstractValue& owner, const std::string& name, const PythonState& state,
                                       int depth) const {
  if (const PythonNode* const own = method_of(*owner.definition, name)) {
    return {AbstractValue::Kind::Defined, name, "", owner.file, own};
  }
  if (depth >= most_bases || owner.file != &file_) return {};
  for (const PythonNode& base : owner.definition->all("bases")) {
    const AbstractValue above = named(base, state);
    if (above.kind != AbstractValue::Kind::Class) continue;
    const AbstractValue found = method_named(above, name, state, depth + 1);
    if (found.kind != AbstractValue::Kind::Unknown) return found;
  }
  return {};
}

std::optional<bool> Conditions::ends_in_method(const AbstractValue& owner, const std::string& name,
                                               const PythonNode& call, const PythonState& state) const {
  const AbstractValue method = method_named(owner, name, state);
  if (method.kind != AbstractValue::Kind::Defined) return false;
  return ends_inside(method, with_object(call), state);
}

std::optional<bool> Conditions::ends_on_entry(const PythonNode& manager, const PythonState& state) const {
  if (!manager.is("Call")) return false;
  const AbstractValue maker = named(manager.one("func"), state);
  if (maker.kind == AbstractValue::Kind::Defined && is_generator(*maker.definition)) {
    return ends_inside(maker, manager, state);
  }
  if (maker.kind != AbstractValue::Kind::Class) return ends(manager, state);
  static const PythonNode without_arguments{"Call"};
  std::optional<bool> ended = ends_in_method(maker, "__init__", manager, state);
  for (const char* entry : {"__enter__", "__aenter__"}) {
    if (ended == false) ended = ends_in_method(maker, entry, without_arguments, state);
  }
  return ended;
}

}  // namespace ropewalk::compat
