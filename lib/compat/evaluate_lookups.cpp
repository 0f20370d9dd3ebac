// Names and modules that a source looks up as texts: getattr(module, "name"), importlib.import_module("module").
#include "lib/compat/conditions.h"
#include "lib/compat/module_names.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {

namespace {

// By its words alone.
bool may_look_up(const PythonNode& node) {
  if (node.is("Subscript")) return node.one("value").word == "modules";
  const std::string& called = node.one("func").word;
  return node.is("Call") &&
         (called == "getattr" || called == "import_module" || called == "__import__" || called == "importorskip");
}

}  // namespace

AbstractValue Conditions::module_named(const std::string& name) const {
  if (is_module(name, provider_)) return {AbstractValue::Kind::Module, name};
  return {AbstractValue::Kind::Imported, "", absolute_module(name, file_), &file_};
}

std::optional<Lookup> Conditions::lookup(const PythonNode& node, const PythonState& state) const {
  if (!may_look_up(node)) return std::nullopt;
  const bool of_modules = node.is("Subscript") && imported_path(node.one("value"), state) == "sys.modules";
  const std::vector<PythonNode>& given = node.all("args");
  Lookup found;
  const PythonNode* name = nullptr;
  if (of_modules) {
    name = &node.one("slice");
  } else if (node.is("Call") && !given.empty()) {
    const std::string path = imported_path(node.one("func"), state);
    if (path == "getattr" && given.size() > 1) {
      found.object = given.data();
      found.otherwise = given.size() > 2 ? &given[2] : nullptr;
      name = &given[1];
    } else if (path == "importlib.import_module" || path == "__import__" || path == "pytest.importorskip") {
      found.top = path == "__import__" && given.size() < 4 && node.all("keywords").empty();
      name = given.data();
    }
  }
  if (!name) return std::nullopt;
  const auto text = constant_of(*name, state);
  if (text && text->kind == PythonConstant::Kind::Text) found.name = text->text;
  return found;
}

AbstractValue Conditions::looked_up(const PythonNode& node, const PythonState& state) const {
  const std::optional<Lookup> found = lookup(node, state);
  if (!found || !found->name) return {};
  if (!found->object) return module_named(found->top ? found->name->substr(0, found->name->find('.')) : *found->name);
  const AbstractValue value = member(*found->object, *found->name, state);
  const AbstractValue owner = named(*found->object, state);
  const bool is_missing = owner.kind == AbstractValue::Kind::Module && lacks(provider_, owner.name, *found->name);
  if (value.kind != AbstractValue::Kind::Unknown || !is_missing || !found->otherwise) return value;
  const auto otherwise = constant_of(*found->otherwise, state);
  return otherwise ? AbstractValue::of(*otherwise) : named(*found->otherwise, state);
}

}  // namespace ropewalk::compat
