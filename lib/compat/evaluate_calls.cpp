// What calls in expressions give: of built-in functions, of methods of texts, of functions that sources define.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "lib/compat/collection_methods.h"
#include "lib/compat/conditions.h"
#include "lib/compat/module_names.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using ConstantKind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

bool is_version_maker(const std::string& name) {
  return name == "PkgVersion" || name == "Version" || name == "parse" || name == "parse_version" ||
         name == "LooseVersion" || name == "StrictVersion";
}

// The word of ast for a comparison that is called as a method; null: it is none.
const char* comparison_named(const std::string& method) {
  static const std::map<std::string, const char*> words = {{"__ge__", "GtE"}, {"__gt__", "Gt"}, {"__le__", "LtE"},
                                                           {"__lt__", "Lt"},  {"__eq__", "Eq"}, {"__ne__", "NotEq"}};
  const auto found = words.find(method);
  return found == words.end() ? nullptr : found->second;
}

// As text.split(separator, most) and text.rsplit(separator, most); most below 0: every part.
Result split(const std::string& text, const std::string& separator, i64 most, bool from_right) {
  if (separator.empty()) return std::nullopt;
  std::vector<std::string> parts = {text};
  while (most < 0 || i64(parts.size()) <= most) {
    std::string& rest = parts.back();
    const size_t at = from_right ? rest.rfind(separator) : rest.find(separator);
    if (at == std::string::npos) break;
    const std::string before = rest.substr(0, at), after = rest.substr(at + separator.size());
    rest = from_right ? after : before;
    parts.push_back(from_right ? before : after);
  }
  if (from_right) std::ranges::reverse(parts);
  std::vector<Constant> items;
  for (std::string& part : parts) items.push_back(Constant::of_text(std::move(part)));
  return Constant::of_items(std::move(items));
}

Result partition(const std::string& text, const std::string& separator, bool from_right) {
  if (separator.empty()) return std::nullopt;
  const size_t at = from_right ? text.rfind(separator) : text.find(separator);
  std::vector<Constant> parts(3, Constant::of_text(""));
  if (at == std::string::npos) {
    parts[from_right ? 2 : 0].text = text;
  } else {
    parts[0].text = text.substr(0, at);
    parts[1].text = separator;
    parts[2].text = text.substr(at + separator.size());
  }
  return Constant::of_items(std::move(parts));
}

Result stripped(std::string text, const std::string& letters, const std::string& method) {
  if (method != "rstrip") text.erase(0, std::min(text.find_first_not_of(letters), text.size()));
  if (method != "lstrip") text.erase(text.find_last_not_of(letters) + 1);
  return Constant::of_text(std::move(text));
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size())) {
    text.replace(at, old.size(), with);
  }
  return text;
}

Result joined(const std::string& between, const Constant& parts) {
  if (parts.kind != ConstantKind::Sequence) return std::nullopt;
  std::string text;
  for (const Constant& part : parts.items) {
    if (part.kind != ConstantKind::Text) return std::nullopt;
    text += (&part == parts.items.data() ? "" : between) + part.text;
  }
  return Constant::of_text(std::move(text));
}

// A method of a text; nullopt: none that is known, or other arguments.
Result text_method(const std::string& text, const std::string& method, const std::vector<Constant>& given) {
  const auto is_text = [&](size_t n) { return n < given.size() && given[n].kind == ConstantKind::Text; };
  const bool strips = method == "strip" || method == "lstrip" || method == "rstrip";
  if (strips && (given.empty() || is_text(0))) return stripped(text, given.empty() ? " \t\n\r" : given[0].text, method);
  if (method == "isdigit" && given.empty()) {
    return Constant::of_truth(!text.empty() && text.find_first_not_of("0123456789") == std::string::npos);
  }
  if (method == "join" && given.size() == 1) return joined(text, given[0]);
  if (given.size() == 1 && given[0].kind == ConstantKind::Sequence &&
      (method == "startswith" || method == "endswith")) {
    bool any = false;
    for (const Constant& one : given[0].items) {
      const Result truth = text_method(text, method, {one});
      if (!truth) return std::nullopt;
      any = any || truth->truth();
    }
    return Constant::of_truth(any);
  }
  if (!is_text(0)) return std::nullopt;
  const std::string& first = given[0].text;
  const bool right = method.starts_with("r");
  if (method == "split" || method == "rsplit") {
    if (given.size() == 2 && given[1].kind != ConstantKind::Number) return std::nullopt;
    return given.size() > 2 ? std::nullopt : split(text, first, given.size() == 2 ? given[1].number : -1, right);
  }
  if (method == "replace" && given.size() == 2 && is_text(1) && !first.empty()) {
    return Constant::of_text(replaced(text, first, given[1].text));
  }
  if (given.size() != 1) return std::nullopt;
  if (method == "partition" || method == "rpartition") return partition(text, first, right);
  if (method == "startswith") return Constant::of_truth(text.starts_with(first));
  if (method == "endswith") return Constant::of_truth(text.ends_with(first));
  if (method == "removeprefix") return Constant::of_text(text.substr(text.starts_with(first) ? first.size() : 0));
  if (method == "removesuffix") {
    return Constant::of_text(text.substr(0, text.size() - (text.ends_with(first) ? first.size() : 0)));
  }
  if (method == "count")
    return Constant::of_number(i64(split(text, first, -1, false).value_or(Constant{}).items.size()) - 1);
  return std::nullopt;
}

}  // namespace

Result Conditions::has_name(const PythonNode& call, const PythonState& state) const {
  const AbstractValue module = named(call.all("args")[0], state);
  const PythonNode& name = call.all("args")[1];
  if (module.kind != AbstractValue::Kind::Module || !name.is("Text")) return std::nullopt;
  const bool is_version = name.word == "__version__" && version_text(module.name).constant;
  const bool is_there =
      is_version || has(provider_, module.name, name.word) || defining_module(module.name, name.word, provider_);
  if (is_there) return Constant::of_truth(true);
  return lacks(provider_, module.name, name.word) ? Result(Constant::of_truth(false)) : std::nullopt;
}

Result Conditions::call(const PythonNode& node, const PythonState& state) const {
  const PythonNode& callee = node.one("func");
  const std::string called = called_name(callee, state);
  // Of a signature's parameters.
  if (callee.is("Attribute") && callee.word == "keys" && node.all("args").empty()) {
    const Result keys = constant_of(callee.one("value"), state);
    if (keys && keys->kind == ConstantKind::Sequence) return keys;
  }
  if (const Result truth = operation(node, state)) return truth;
  if (called.empty()) return method(node, state);
  if (const Result made = matching(node, state)) return made;
  if (const std::string package = asked_package(node, state); !package.empty() && !asks_for_distribution(called)) {
    if (!is_provider(package) || !provider_.version) return std::nullopt;
    const Constant version = Constant::of_text(provider_.version->text);
    if (asks_for_version(called)) return version;
    const bool with_version = std::any_of(
        node.all("keywords").begin(), node.all("keywords").end(),
        [](const PythonNode& one) { return one.word == "return_version" && one.one("value").word == "True"; });
    const Constant there = Constant::of_truth(true);
    return with_version ? Constant::of_items({there, version}) : there;
  }
  if (callee.is("Name") && called == "hasattr" && node.all("args").size() == 2) return has_name(node, state);
  if (const AbstractValue found = looked_up(node, state); found.constant) return found.constant;
  if (const AbstractValue function = named(callee, state); function.kind == AbstractValue::Kind::Defined) {
    return result_of(function, node, state);
  } else if (function.kind == AbstractValue::Kind::Class) {
    return member_of_value(function, node, state);
  }
  if (const Result said = said_by_transformers(node, state)) return said;
  if (const std::optional<bool> skipped = skip_condition(node, state)) return Constant::of_truth(*skipped);
  if ((called == "signature" || called == "getfullargspec") && node.all("args").size() == 1) {
    return signature_of(node.one("args"), state);
  }
  if (is_version_maker(called) && node.all("args").size() == 1) {
    const Result text = constant_of(node.one("args"), state);
    if (text && text->kind == ConstantKind::Version) return text;  // str(version) is taken apart no further
    const auto version = text && text->kind == ConstantKind::Text ? parse_version(text->text) : std::nullopt;
    return version ? Result(Constant::of_version(*version)) : std::nullopt;
  }
  if (callee.is("Name")) return built_in(called, node, state);
  return method(node, state);
}

// As its documentation has it: is_flash_attn_greater_or_equal("2.6.0") asks for that version or a later one, and
// flash-attn 2 is available from 2.1.0 on, for some machines from 2.0.4 on.
Result Conditions::said_by_transformers(const PythonNode& call, const PythonState& state) const {
  const std::string path = imported_path(call.one("func"), state), asked = path.substr(path.rfind('.') + 1);
  if (!path.starts_with("transformers.") || !is_provider("flash-attn") || !provider_.version) return std::nullopt;
  const auto is_from = [&](const char* version) { return *provider_.version >= *parse_version(version); };
  const bool is_available = asked == "is_flash_attn_2_available";
  if (is_available && is_from("2.0.4") != is_from("2.1.0")) return std::nullopt;
  if (is_available || asked == "is_flash_attn_greater_or_equal_2_10") return Constant::of_truth(is_from("2.1.0"));
  if (asked != "is_flash_attn_greater_or_equal" || call.all("args").size() != 1) return std::nullopt;
  const Result wanted = constant_of(call.one("args"), state);
  const auto version = wanted && wanted->kind == ConstantKind::Text ? parse_version(wanted->text) : std::nullopt;
  return version ? Result(Constant::of_truth(*provider_.version >= *version)) : std::nullopt;
}

// Of a function of the module operator, wherever it comes from: OPERATIONS[">="](V, Version("2.6")), V.__ge__(other).
Result Conditions::operation(const PythonNode& node, const PythonState& state) const {
  const PythonNode& callee = node.one("func");
  const std::vector<PythonNode>& given = node.all("args");
  std::optional<bool> truth;
  if (given.size() == 2 && (callee.is("Name") || callee.is("Attribute") || callee.is("Subscript"))) {
    const Result operation = constant_of(callee, state);
    if (operation && operation->kind == ConstantKind::Operation) {
      truth = compared(given[0], operation->text, given[1], state);
    }
  }
  const char* const word = callee.is("Attribute") ? comparison_named(callee.word) : nullptr;
  if (word && given.size() == 1) truth = compared(callee.one("value"), word, given[0], state);
  return truth ? Result(Constant::of_truth(*truth)) : std::nullopt;
}

Result Conditions::built_in(const std::string& called, const PythonNode& node, const PythonState& state) const {
  const std::vector<PythonNode>& arguments = node.all("args");
  if (called == "map" && arguments.size() == 2 && arguments[0].text == "int") {
    const Result values = constant_of(arguments[1], state);
    if (!values || values->kind != ConstantKind::Sequence) return std::nullopt;
    std::vector<Constant> numbers;
    for (const Constant& value : values->items) {
      const Result number = value.kind == ConstantKind::Text ? Constant::integer(value.text) : value;
      if (!number) return std::nullopt;
      numbers.push_back(*number);
    }
    return Constant::of_items(std::move(numbers));
  }
  if (const Result made = collection_made(called, node, state)) return made;
  if (arguments.size() != 1) return std::nullopt;
  const Result value = constant_of(arguments[0], state);
  if (!value) return std::nullopt;
  if (called == "bool") return Constant::of_truth(value->truth());
  if (called == "float") {
    return value->kind == ConstantKind::Text ? Constant::decimal(value->text)
                                             : Result(Constant::of_real(value->as_real()));
  }
  if (called == "int" && value->kind == ConstantKind::Real) return Constant::of_number(i64(value->real));
  if (called == "int") return value->kind == ConstantKind::Text ? Constant::integer(value->text) : value;
  if (called == "str" && value->kind == ConstantKind::Version) return Constant::of_text(value->version.text);
  if (called == "str" && value->kind == ConstantKind::Text) return value;
  return std::nullopt;
}

Result Conditions::method(const PythonNode& node, const PythonState& state) const {
  const PythonNode& callee = node.one("func");
  const Result text = callee.is("Attribute") ? constant_of(callee.one("value"), state) : std::nullopt;
  if (!text) return std::nullopt;
  std::vector<Constant> given;
  for (const PythonNode& argument : node.all("args")) {
    const Result value = constant_of(argument, state);
    if (!value) return std::nullopt;
    given.push_back(*value);
  }
  for (const PythonNode& keyword : node.all("keywords")) {
    const Result value = constant_of(keyword.one("value"), state);
    if (!value || keyword.word != "maxsplit" || given.size() != 1) return std::nullopt;
    given.push_back(*value);
  }
  remarks_.more_than_order = remarks_.more_than_order || is_its_version(*text);
  if (const Result found = matching_method(*text, callee.word, given)) return found;
  if (text->kind != ConstantKind::Text) return collection_method(*text, callee.word, given);
  return text_method(text->text, callee.word, given);
}

}  // namespace ropewalk::compat
