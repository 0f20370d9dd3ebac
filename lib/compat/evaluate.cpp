// What expressions are: versions, what they are made into, and what functions whose source is there make of them.
#include <algorithm>
#include <charconv>

#include "lib/compat/conditions.h"
#include "lib/compat/relevant.h"

namespace ropewalk {
namespace {

using Constant = PythonConstant;
using Kind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

constexpr int most_calls = 8;  // that are followed into each other

bool is_version_maker(const std::string& name) {
  return name == "PkgVersion" || name == "Version" || name == "parse" || name == "parse_version" ||
         name == "LooseVersion" || name == "StrictVersion";
}

bool asks_for_version(const std::string& name) {
  return name == "get_pkg_version" || name == "version" || name == "get_version";
}

bool asks_for_distribution(const std::string& name) { return name == "get_distribution" || name == "distribution"; }

bool asks_whether_installed(const std::string& name) {
  return name == "find_spec" || (name.find("package_available") != std::string::npos);
}

Result number_of(const std::string& text) {
  i64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Constant::of_number(number);
}

// The numbers of a release, as packaging's Version has them.
Result release_of(const PackageVersion& version, const std::string& name) {
  const auto part = [&](size_t n) { return i64(n < version.release.size() ? version.release[n] : 0); };
  if (name == "major") return Constant::of_number(part(0));
  if (name == "minor") return Constant::of_number(part(1));
  if (name == "micro") return Constant::of_number(part(2));
  if (name == "public") return Constant::of_text(version.text);
  // As many as were written: zeros at the end count.
  const size_t end = std::min(version.text.find_first_not_of("0123456789.", version.text.starts_with("v") ? 1 : 0),
                              version.text.size());
  std::string written = version.text.substr(version.text.starts_with("v") ? 1 : 0, end);
  while (written.ends_with(".")) written.pop_back();
  if (name == "base_version") return Constant::of_text(written);
  std::vector<Constant> numbers;
  for (i64 n = 0; n <= std::count(written.begin(), written.end(), '.'); ++n) {
    numbers.push_back(Constant::of_number(part(size_t(n))));
  }
  return name == "release" ? Result(Constant::of_items(std::move(numbers))) : std::nullopt;
}

Result split(const std::string& text, const std::string& separator) {
  if (separator.empty()) return std::nullopt;
  std::vector<Constant> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(Constant::of_text(text.substr(begin, end - begin)));
    begin = end + separator.size();
  }
  return Constant::of_items(std::move(parts));
}

}  // namespace

bool Conditions::is_provider(const std::string& package) const { return same_package(package, provider_.package); }

bool Conditions::is_its_version(const PythonConstant& value) const {
  if (!provider_.version) return false;
  if (value.kind == Kind::Version) return value.version == *provider_.version;
  return value.kind == Kind::Text && value.text == provider_.version->text;
}

std::string Conditions::called_name(const PythonNode& callee) const {
  const std::string name = dotted_name(callee);
  const Definitions::Import* const import =
      name.find('.') == std::string::npos ? definitions_.import_of(file_, name) : nullptr;
  if (import && !import->name.empty()) return import->name;
  return name.substr(name.rfind('.') + 1);
}

std::string Conditions::asked_package(const PythonNode& call) const {
  if (!call.is("Call") || !call.one("args").is("Text")) return "";
  const std::string name = called_name(call.one("func"));
  const bool alone = call.all("args").size() == 1 && call.all("keywords").empty();
  const bool asks = alone && (asks_for_version(name) || asks_for_distribution(name));
  return asks || asks_whether_installed(name) ? call.one("args").word : "";
}

Result Conditions::constant_of(const PythonNode& node, const PythonState& state) const {
  if (node.is("Text")) return Constant::of_text(node.word);
  if (node.is("Number")) return number_of(node.word);
  if (node.is("Constant")) {
    if (node.word == "None") return Constant{};
    if (node.word == "True" || node.word == "False") return Constant::of_truth(node.word == "True");
    return std::nullopt;
  }
  if (node.is("NamedExpr")) return constant_of(node.one("value"), state);
  if (node.is("Name")) return name(node, state);
  if (node.is("Attribute")) return attribute(node, state);
  if (node.is("Subscript")) return subscript(node, state);
  if (node.is("Call")) return call(node, state);
  if (node.is("Tuple") || node.is("List")) return sequence(node.all("elts"), state);
  if (node.is("Compare")) return comparison(node, state);
  if (node.is("ListComp") || node.is("GeneratorExp")) return comprehension(node, state);
  if (node.is("IfExp")) {
    const std::optional<bool> truth = truth_of(node.one("test"), state);
    return truth ? constant_of(node.one(*truth ? "body" : "orelse"), state) : std::nullopt;
  }
  if (node.is("UnaryOp") && node.word == "USub") {
    const Result operand = constant_of(node.one("operand"), state);
    return operand && operand->kind == Kind::Number ? Result(Constant::of_number(-operand->number)) : std::nullopt;
  }
  const bool logical = node.is("BoolOp") || (node.is("UnaryOp") && node.word == "Not");
  const std::optional<bool> truth = logical ? truth_of(node, state) : std::nullopt;
  return truth ? Result(Constant::of_truth(*truth)) : std::nullopt;
}

Result Conditions::name(const PythonNode& node, const PythonState& state) const {
  if (const AbstractValue* const value = state.find(node.word)) return value->constant;
  const Definitions::Import* const import = definitions_.import_of(file_, node.word);
  if (!import) return std::nullopt;
  if (import->name == "__version__" && is_provider(import->module) && provider_.version) {
    return Constant::of_text(provider_.version->text);
  }
  const Definitions::Found found = definitions_.find_imported(file_, node.word);
  return found.statement && !found.statement->is_function() ? assigned(found, import->name) : std::nullopt;
}

Result Conditions::attribute(const PythonNode& node, const PythonState& state) const {
  const std::string front = dotted_name(node.one("value"));
  if (node.word == "__version__" && provider_.version) {
    const AbstractValue* const module = state.find(front);
    const std::string path = module && module->kind == AbstractValue::Kind::Module ? module->name : front;
    if (is_provider(path.substr(0, path.find('.')))) return Constant::of_text(provider_.version->text);
  }
  const PythonNode& asked = node.one("value");
  if (node.word == "parameters" || node.word == "args") return parameters(asked, state);
  if (node.word == "version" && asked.is("Call") && asks_for_distribution(called_name(asked.one("func"))) &&
      is_provider(asked_package(asked)) && provider_.version) {
    return Constant::of_text(provider_.version->text);
  }
  if (const Result value = constant_of(asked, state); value && value->kind == Kind::Version) {
    remarks_.more_than_order = remarks_.more_than_order || is_its_version(*value);
    return release_of(value->version, node.word);
  }
  // A constant of a module of the package: `utils.MINIMUM`.
  const Definitions::Import* const import = definitions_.import_of(file_, front);
  const Definitions::Found found = import ? definitions_.find_in(*import, node.word) : Definitions::Found{};
  return found.statement && !found.statement->is_function() ? assigned(found, node.word) : std::nullopt;
}

// The names of a provider's function's parameters: of `inspect.signature(f)` or `inspect.getfullargspec(f)`.
Result Conditions::parameters(const PythonNode& asked, const PythonState& state) const {
  if (!asked.is("Call") || asked.all("args").size() != 1) return std::nullopt;
  const std::string called = called_name(asked.one("func"));
  if (called != "signature" && called != "getfullargspec") return std::nullopt;
  const PythonNode& function = asked.one("args");
  const AbstractValue* value = state.find(dotted_name(function));
  std::string path;
  if (value && value->kind == AbstractValue::Kind::Function) {
    path = value->module + "." + value->name;
  } else if (function.is("Attribute")) {
    const AbstractValue* const module = state.find(dotted_name(function.one("value")));
    if (!module || module->kind != AbstractValue::Kind::Module) return std::nullopt;
    const std::string* const from = defining_module(module->name, function.word, provider_);
    if (from) path = *from + "." + function.word;
  }
  const auto known = provider_.parameters.find(path);
  if (known == provider_.parameters.end()) return std::nullopt;
  remarks_.more_than_order = true;  // it differs by more than the versions that the source names
  std::vector<Constant> names;
  for (const std::string& one : known->second) names.push_back(Constant::of_text(one));
  return Constant::of_items(std::move(names));
}

Result Conditions::has_name(const PythonNode& call, const PythonState& state) const {
  const AbstractValue* const module = state.find(dotted_name(call.all("args")[0]));
  const PythonNode& name = call.all("args")[1];
  if (!module || module->kind != AbstractValue::Kind::Module || !name.is("Text")) return std::nullopt;
  if (defining_module(module->name, name.word, provider_)) return Constant::of_truth(true);
  return provider_.other_names.count(name.word) ? Result(Constant::of_truth(false)) : std::nullopt;
}

Result Conditions::subscript(const PythonNode& node, const PythonState& state) const {
  const Result whole = constant_of(node.one("value"), state);
  if (!whole || (whole->kind != Kind::Sequence && whole->kind != Kind::Text)) return std::nullopt;
  remarks_.more_than_order = remarks_.more_than_order || is_its_version(*whole);
  const i64 size = i64(whole->kind == Kind::Text ? whole->text.size() : whole->items.size());
  const auto bound = [&](const PythonNode& at, i64 otherwise) -> std::optional<i64> {
    if (!at) return otherwise;
    const Result number = constant_of(at, state);
    if (!number || number->kind != Kind::Number) return std::nullopt;
    return number->number < 0 ? number->number + size : number->number;
  };
  const PythonNode& slice = node.one("slice");
  if (slice.one("step")) return std::nullopt;
  const bool range = slice.is("Slice");
  std::optional<i64> begin = bound(range ? slice.one("lower") : slice, 0);
  std::optional<i64> end = !range ? (begin ? std::optional(*begin + 1) : begin) : bound(slice.one("upper"), size);
  if (!begin || !end || (!range && (*begin < 0 || *begin >= size))) return std::nullopt;
  begin = std::clamp<i64>(*begin, 0, size);
  end = std::clamp<i64>(*end, *begin, size);
  if (whole->kind == Kind::Text) return Constant::of_text(whole->text.substr(size_t(*begin), size_t(*end - *begin)));
  if (!range) return whole->items[size_t(*begin)];
  return Constant::of_items({whole->items.begin() + *begin, whole->items.begin() + *end});
}

Result Conditions::sequence(const std::vector<PythonNode>& nodes, const PythonState& state) const {
  std::vector<Constant> items;
  for (const PythonNode& node : nodes) {
    const Result item = constant_of(node, state);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return Constant::of_items(std::move(items));
}

Result Conditions::comprehension(const PythonNode& node, const PythonState& state) const {
  const PythonNode& loop = node.one("generators");
  const Result values = constant_of(loop.one("iter"), state);
  if (node.all("generators").size() != 1 || !loop.one("target").is("Name") || !values ||
      values->kind != Kind::Sequence) {
    return std::nullopt;
  }
  std::vector<Constant> items;
  PythonState inner = state;
  for (const Constant& value : values->items) {
    inner.values.own()[loop.one("target").word] =
        AbstractValue{AbstractValue::Kind::Constant, {}, {}, {}, false, 0, value};
    bool taken = true;
    for (const PythonNode& condition : loop.all("ifs")) {
      const std::optional<bool> truth = truth_of(condition, inner);
      if (!truth) return std::nullopt;
      taken = taken && *truth;
    }
    if (!taken) continue;
    const Result item = constant_of(node.one("elt"), inner);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return Constant::of_items(std::move(items));
}

Result Conditions::call(const PythonNode& node, const PythonState& state) const {
  const PythonNode& callee = node.one("func");
  const std::string called = called_name(callee);
  // Of a signature's parameters.
  if (callee.is("Attribute") && callee.word == "keys" && node.all("args").empty()) {
    const Result keys = constant_of(callee.one("value"), state);
    if (keys && keys->kind == Kind::Sequence) return keys;
  }
  if (called.empty()) return method(node, state);
  if (const std::string package = asked_package(node); !package.empty() && !asks_for_distribution(called)) {
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
  if (callee.is("Name") && !state.find(callee.word)) {
    const Definitions::Found found = definitions_.find(file_, callee.word);
    if (found.statement && found.statement->is_function()) return result_of(found, node, state);
  }
  if (is_version_maker(called) && node.all("args").size() == 1) {
    const Result text = constant_of(node.one("args"), state);
    if (text && text->kind == Kind::Version) return text;  // str(version) is taken apart no further
    const auto version = text && text->kind == Kind::Text ? parse_version(text->text) : std::nullopt;
    return version ? Result(Constant::of_version(*version)) : std::nullopt;
  }
  if (callee.is("Name")) return built_in(called, node, state);
  return method(node, state);
}

Result Conditions::built_in(const std::string& called, const PythonNode& node, const PythonState& state) const {
  const std::vector<PythonNode>& arguments = node.all("args");
  if (called == "map" && arguments.size() == 2 && arguments[0].text == "int") {
    const Result values = constant_of(arguments[1], state);
    if (!values || values->kind != Kind::Sequence) return std::nullopt;
    std::vector<Constant> numbers;
    for (const Constant& value : values->items) {
      const Result number = value.kind == Kind::Text ? number_of(value.text) : value;
      if (!number) return std::nullopt;
      numbers.push_back(*number);
    }
    return Constant::of_items(std::move(numbers));
  }
  if (arguments.size() != 1) return std::nullopt;
  const Result value = constant_of(arguments[0], state);
  if (!value) return std::nullopt;
  if (called == "bool") return Constant::of_truth(value->truth());
  if ((called == "any" || called == "all") && value->kind == Kind::Sequence) {
    const auto holds = [](const Constant& one) { return one.truth(); };
    return Constant::of_truth(called == "any" ? std::any_of(value->items.begin(), value->items.end(), holds)
                                              : std::all_of(value->items.begin(), value->items.end(), holds));
  }
  if ((called == "tuple" || called == "list" || called == "set" || called == "frozenset") &&
      value->kind == Kind::Sequence)
    return value;
  if (called == "int") return value->kind == Kind::Text ? number_of(value->text) : value;
  if (called == "str" && value->kind == Kind::Version) return Constant::of_text(value->version.text);
  if (called == "str" && value->kind == Kind::Text) return value;
  if (called == "len" && value->kind == Kind::Sequence) return Constant::of_number(i64(value->items.size()));
  return std::nullopt;
}

Result Conditions::method(const PythonNode& node, const PythonState& state) const {
  const PythonNode& callee = node.one("func");
  const Result text = callee.is("Attribute") ? constant_of(callee.one("value"), state) : std::nullopt;
  const Result argument = node.one("args") ? constant_of(node.one("args"), state) : std::nullopt;
  if (!text || text->kind != Kind::Text || node.all("args").size() > 1) return std::nullopt;
  remarks_.more_than_order = remarks_.more_than_order || is_its_version(*text);
  if (callee.word == "strip" && !node.one("args")) return text;
  if (callee.word == "isdigit") {
    return Constant::of_truth(!text->text.empty() && text->text.find_first_not_of("0123456789") == std::string::npos);
  }
  if (!argument) return std::nullopt;
  if (callee.word == "split" && argument->kind == Kind::Text) return split(text->text, argument->text);
  if (callee.word == "partition" && argument->kind == Kind::Text) {
    const size_t at = text->text.find(argument->text);
    const bool there = !argument->text.empty() && at != std::string::npos;
    return Constant::of_items({Constant::of_text(text->text.substr(0, at)),
                               Constant::of_text(there ? argument->text : ""),
                               Constant::of_text(there ? text->text.substr(at + argument->text.size()) : "")});
  }
  const auto starts = [&](const Constant& with) {
    return with.kind == Kind::Text && text->text.starts_with(with.text);
  };
  if (callee.word != "startswith") return std::nullopt;
  return Constant::of_truth(argument->kind == Kind::Sequence
                                ? std::any_of(argument->items.begin(), argument->items.end(), starts)
                                : starts(*argument));
}

Result Conditions::result_of(const Definitions::Found& found, const PythonNode& call, const PythonState& state) const {
  if (depth_ >= most_calls) return std::nullopt;
  Conditions inside(*found.file, provider_, definitions_, remarks_);
  inside.depth_ = depth_ + 1;
  PythonState inner;
  const auto give = [&](const std::string& parameter, const Result& value) {
    if (value)
      inner.values.own()[parameter] = AbstractValue{AbstractValue::Kind::Constant, {}, {}, {}, false, 0, *value};
  };
  const std::vector<PythonNode>& parameters = found.statement->all("parameters");
  for (const PythonNode& parameter : parameters) {
    if (parameter.one("default")) give(parameter.word, inside.constant_of(parameter.one("default"), {}));
  }
  const std::vector<PythonNode>& arguments = call.all("args");
  if (arguments.size() > parameters.size()) return std::nullopt;
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (arguments[n].is("Starred")) return std::nullopt;
    inner.values.erase(parameters[n].word);
    give(parameters[n].word, constant_of(arguments[n], state));
  }
  for (const PythonNode& keyword : call.all("keywords")) {
    if (keyword.word.empty()) return std::nullopt;
    inner.values.erase(keyword.word);
    give(keyword.word, constant_of(keyword.one("value"), state));
  }
  const Run run = inside.run(found.statement->all("body"), inner);
  // The versions that another file compares with are not among those of this one.
  remarks_.more_than_order = remarks_.more_than_order || (run.known && found.file != &file_);
  return run.known ? run.returned : std::nullopt;
}

Result Conditions::assigned(const Definitions::Found& found, const std::string& name) const {
  if (depth_ >= most_calls) return std::nullopt;
  remarks_.more_than_order = remarks_.more_than_order || found.file != &file_;
  Conditions inside(*found.file, provider_, definitions_, remarks_);
  inside.depth_ = depth_ + 1;
  PythonState inner;
  inside.run({*found.statement}, inner);
  const AbstractValue* const value = inner.find(name);
  remarks_.more_than_order = remarks_.more_than_order || value;
  return value ? value->constant : std::nullopt;
}

Conditions::Run Conditions::run(const std::vector<PythonNode>& body, PythonState& state) const {
  const auto give = [&](const PythonNode& target, const Result& value) {
    AbstractValue given;
    if (value) given = {AbstractValue::Kind::Constant, {}, {}, {}, false, 0, *value};
    if (target.is("Name")) state.set(target.word, given);
  };
  for (const PythonNode& statement : body) {
    if (statement.is("Return")) {
      const Result value = statement.one("value") ? constant_of(statement.one("value"), state) : Constant{};
      return {value.has_value(), value};
    }
    if (statement.is("If")) {
      const std::optional<bool> truth = truth_of(statement.one("test"), state);
      if (!truth) return {false, {}};
      const Run inner = run(statement.all(*truth ? "body" : "orelse"), state);
      if (!inner.known || inner.returned) return inner;
    } else if (statement.is("Try")) {
      for (const char* field : {"body", "orelse", "finalbody"}) {
        const Run inner = run(statement.all(field), state);
        if (!inner.known || inner.returned) return inner;
      }
    } else if (statement.is("Assign") || statement.is("AnnAssign")) {
      const Result value = constant_of(statement.one("value"), state);
      for (const char* field : {"targets", "target"}) {
        for (const PythonNode& target : statement.all(field)) {
          const std::vector<PythonNode>& parts = target.all("elts");
          const auto items = value ? taken_apart(*value, parts) : std::nullopt;
          for (size_t n = 0; n < parts.size(); ++n) {
            const PythonNode& part = parts[n].is("Starred") ? parts[n].one("value") : parts[n];
            give(part, items ? Result((*items)[n]) : std::nullopt);
          }
          if (parts.empty()) give(target, value);
        }
      }
    } else if (!statement.is("Expr") && !statement.is("Import") && !statement.is("ImportFrom") &&
               !statement.is("Pass") && !statement.is("Global")) {
      return {false, {}};
    }
  }
  return {};
}

}  // namespace ropewalk
