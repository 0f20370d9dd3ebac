// Sets of versions, regular expressions and metadata in expressions.
#include "lib/compat/conditions.h"
#include "lib/compat/patterns.h"
#include "lib/compat/specifiers.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using ConstantKind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

}  // namespace

std::string Conditions::path_of_import(const PythonNode& node, const PythonState& state) const {
  const std::string name = dotted_name(node);
  const AbstractValue* const bound = state.find(name.substr(0, name.find('.')));
  return bound && bound->kind == AbstractValue::Kind::Imported ? imported_path(node, state) : "";
}

Result Conditions::matching(const PythonNode& call, const PythonState& state) const {
  const std::string path = path_of_import(call.one("func"), state);
  const bool is_set = path == "packaging.specifiers.SpecifierSet", is_pattern = path == "re.compile";
  const std::string function = path.starts_with("re.") ? path.substr(3) : "";
  if (!is_set && !is_pattern && !is_matching(function)) return std::nullopt;
  std::vector<std::string> given;
  for (const PythonNode& argument : call.all("args")) {
    const Result text = constant_of(argument, state);
    if (!text || text->kind != ConstantKind::Text) return std::nullopt;
    given.push_back(text->text);
  }
  if (!call.all("keywords").empty() || given.size() != (is_set || is_pattern ? 1u : 2u)) return std::nullopt;
  remarks_.more_than_order = true;
  if (is_set) return Constant{ConstantKind::Specifiers, 0, given[0]};
  if (is_pattern) return Constant{ConstantKind::Pattern, 0, given[0]};
  return matched(function, given[0], given[1]);
}

Result Conditions::matching_method(const PythonConstant& owner, const std::string& method,
                                   const std::vector<PythonConstant>& given) {
  if (owner.kind == ConstantKind::Match) return match_method(owner, method, given);
  if (given.size() != 1) return std::nullopt;
  if (owner.kind == ConstantKind::Pattern && given[0].kind == ConstantKind::Text && is_matching(method))
    return matched(method, owner.text, given[0].text);
  if (owner.kind != ConstantKind::Specifiers || method != "contains") return std::nullopt;
  const auto inside = compare(given[0], "In", owner);
  return inside ? Result(Constant::of_truth(*inside)) : std::nullopt;
}

bool Conditions::is_metadata(const PythonNode& node, const PythonState& state) const {
  if (!provider_.version) return false;
  const bool of_distribution = node.is("Attribute") && node.word == "metadata";
  const PythonNode& call = of_distribution ? node.one("value") : node;
  if (!call.is("Call") || call.all("args").size() != 1 || !is_provider(call.one("args").word)) return false;
  const std::string path = path_of_import(call.one("func"), state);
  if (of_distribution) return path == "importlib.metadata.distribution" || path == "importlib_metadata.distribution";
  return path == "importlib.metadata.metadata" || path == "importlib_metadata.metadata";
}

}  // namespace ropewalk::compat
