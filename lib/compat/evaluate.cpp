// What expressions are: versions, and what they are made into.
#include <algorithm>
#include <map>

#include "lib/compat/conditions.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using ConstantKind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

bool asks_whether_installed(const std::string& name) {
  return name == "find_spec" || (name.find("package_available") != std::string::npos);
}

// The numbers of a release, as packaging's Version has them.
Result release_of(const PackageVersion& version, const std::string& name) {
  const auto part = [&](size_t n) { return i64(n < version.release.size() ? version.release[n] : 0); };
  if (name == "major") return Constant::of_number(part(0));
  if (name == "minor") return Constant::of_number(part(1));
  if (name == "micro") return Constant::of_number(part(2));
  if (name == "is_devrelease") return Constant::of_truth(version.text.find("dev") != std::string::npos);
  if (name == "is_prerelease") return Constant::of_truth(version.phase < 4);
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

}  // namespace

bool asks_for_version(const std::string& name) {
  return name == "get_pkg_version" || name == "version" || name == "get_version";
}

bool asks_for_distribution(const std::string& name) { return name == "get_distribution" || name == "distribution"; }

const char* operation_named(const std::string& path) {
  static const std::map<std::string, const char*> words = {{"operator.ge", "GtE"}, {"operator.gt", "Gt"},
                                                           {"operator.le", "LtE"}, {"operator.lt", "Lt"},
                                                           {"operator.eq", "Eq"},  {"operator.ne", "NotEq"}};
  const auto found = words.find(path);
  return found == words.end() ? nullptr : found->second;
}

bool Conditions::is_provider(const std::string& package) const { return same_package(package, provider_.package); }

bool Conditions::is_its_version(const PythonConstant& value) const {
  const auto is_it = [&](const std::optional<PackageVersion>& version) {
    if (!version) return false;
    return value.kind == ConstantKind::Version ? value.version == *version
                                               : value.kind == ConstantKind::Text && value.text == version->text;
  };
  return is_it(provider_.version) || is_it(provider_.stated);
}

std::string Conditions::imported_path(const PythonNode& node, const PythonState& state) const {
  const std::string name = dotted_name(node), first = name.substr(0, name.find('.'));
  const AbstractValue* const bound = state.find(first);
  if (!bound || bound->kind != AbstractValue::Kind::Imported) return name;
  return bound->module + (bound->name.empty() ? "" : "." + bound->name) + name.substr(first.size());
}

std::string Conditions::called_name(const PythonNode& callee, const PythonState& state) const {
  const std::string path = imported_path(callee, state);
  return path.substr(path.rfind('.') + 1);
}

std::string Conditions::asked_package(const PythonNode& call, const PythonState& state) const {
  if (!call.is("Call") || !call.one("args")) return "";
  const std::string name = called_name(call.one("func"), state);
  const bool alone = call.all("args").size() == 1 && call.all("keywords").empty();
  const bool asks = alone && (asks_for_version(name) || asks_for_distribution(name));
  if (!asks && !asks_whether_installed(name)) return "";
  const Result package = constant_of(call.one("args"), state);
  return package && package->kind == ConstantKind::Text ? package->text : "";
}

Result Conditions::constant_of(const PythonNode& node, const PythonState& state) const {
  if (node.is("Text")) return Constant::of_text(node.word);
  if (node.is("Number")) return Constant::integer(node.word);
  if (node.is("Constant")) {
    if (const Result real = Constant::decimal(node.word)) return real;
    if (node.word == "None") return Constant{};
    if (node.word == "True" || node.word == "False") return Constant::of_truth(node.word == "True");
    return std::nullopt;
  }
  if (node.is("NamedExpr")) return constant_of(node.one("value"), state);
  if (node.is("Name") || node.is("Attribute")) return named_constant(node, state);
  if (node.is("Subscript")) return subscript(node, state);
  if (node.is("Call")) return call(node, state);
  if (node.is("Tuple") || node.is("List") || node.is("Set") || node.is("Dict")) return display(node, state);
  if (node.is("Compare")) return comparison(node, state);
  if (node.is_comprehension()) return comprehension(node, state);
  if (node.is("IfExp")) {
    const std::optional<bool> truth = truth_of(node.one("test"), state);
    return truth ? constant_of(node.one(*truth ? "body" : "orelse"), state) : std::nullopt;
  }
  if (node.is("BinOp")) {
    const Result left = constant_of(node.one("left"), state), right = constant_of(node.one("right"), state);
    return left && right ? operate(*left, node.word, *right) : std::nullopt;
  }
  if (node.is("UnaryOp") && node.word == "USub") {
    const Result operand = constant_of(node.one("operand"), state);
    return operand && operand->kind == ConstantKind::Number ? Result(Constant::of_number(-operand->number))
                                                            : std::nullopt;
  }
  if (node.is("BoolOp")) {
    if (const Result value = deciding(node, state)) return value;
  }
  const bool logical = node.is("BoolOp") || (node.is("UnaryOp") && node.word == "Not");
  const std::optional<bool> truth = logical ? truth_of(node, state) : std::nullopt;
  return truth ? Result(Constant::of_truth(*truth)) : std::nullopt;
}

// The operand that `and` and `or` give.
Result Conditions::deciding(const PythonNode& node, const PythonState& state) const {
  Result value;
  for (const PythonNode& part : node.all("values")) {
    value = constant_of(part, state);
    if (!value || value->truth() == (node.word == "Or")) break;
  }
  return value;
}

Result Conditions::named_constant(const PythonNode& node, const PythonState& state) const {
  const Result value = node.is("Name") ? named(node, state).constant : attribute(node, state);
  if (value) return value;
  const std::string path = imported_path(node, state);
  // What a parameter without a default has for one.
  if (path == "inspect.Parameter.empty" || path == "inspect._empty") return Constant{ConstantKind::Unread};
  const char* const operation = operation_named(path);
  return operation ? Result(Constant::of_operation(operation)) : std::nullopt;
}

AbstractValue Conditions::named(const PythonNode& node, const PythonState& state) const {
  if (node.is("Call") || node.is("Subscript")) return looked_up(node, state);
  const std::string name = dotted_name(node);
  const AbstractValue* const known = name.empty() ? nullptr : state.find(name);
  if (known) return resolved(*known);
  return node.is("Attribute") ? member(node.one("value"), node.word, state) : AbstractValue{};
}

AbstractValue Conditions::member(const PythonNode& object, const std::string& name, const PythonState& state) const {
  const AbstractValue owner = named(object, state);
  // What the file itself gives it, and when, is not followed.
  const bool is_of_source = owner.kind == AbstractValue::Kind::Class || owner.kind == AbstractValue::Kind::Imported;
  if (is_of_source && modules_.given_in(file_).count(dotted_name(object) + "." + name)) return {};
  if (owner.kind == AbstractValue::Kind::Class) return class_member(owner, name, state);
  if (owner.kind == AbstractValue::Kind::Imported) {
    return resolved({AbstractValue::Kind::Imported, name, owner.module, owner.file});
  }
  const std::string path = owner.kind == AbstractValue::Kind::Module ? owner.name : dotted_name(object);
  if (owner.kind == AbstractValue::Kind::Module || !state.find(path.substr(0, path.find('.')))) {
    if (name == "__version__") return version_text(path);
  }
  if (owner.kind != AbstractValue::Kind::Module) return {};
  if (const std::string* const from = defining_module(owner.name, name, provider_)) {
    return {AbstractValue::Kind::Function, name, *from};
  }
  const std::string module = owner.name + "." + name;
  return is_module(module, provider_) ? AbstractValue{AbstractValue::Kind::Module, module} : AbstractValue{};
}

AbstractValue Conditions::resolved(const AbstractValue& value) const {
  if (!modules_.has(value)) return modules_.resolved(value);
  const auto [known, is_new] = remarks_.imported.try_emplace(value.module + " " + value.name, value, AbstractValue{});
  if (is_new) known->second.second = modules_.resolved(value);
  return known->second.second;
}

AbstractValue Conditions::version_text(const std::string& module) const {
  const std::optional<PackageVersion>& version = provider_.stated ? provider_.stated : provider_.version;
  if (!version || !is_provider(module.substr(0, module.find('.')))) return {};
  return AbstractValue::of(Constant::of_text(version->text));
}

void Conditions::import(const PythonNode& statement, PythonState& state) const {
  for (const Import& one : imports_of(statement)) {
    const bool provided = is_module(one.module, provider_);
    const std::string module = absolute_module(one.module, file_);
    if (one.whole) {
      const AbstractValue value = module_named(one.module);
      state.set(one.names.empty() ? one.module : one.names[0].second, value);
      const std::string top = one.module.substr(0, one.module.find('.'));
      if (provided && one.names.empty()) state.set(top, {AbstractValue::Kind::Module, top});
      continue;
    }
    for (const auto& [name, alias] : one.names) {
      if (name == "*") {
        import_all(provided, module, state);
      } else if (const std::string* const from = defining_module(one.module, name, provider_)) {
        state.set(alias, {AbstractValue::Kind::Function, name, *from});
      } else if (is_module(one.module + "." + name, provider_)) {
        state.set(alias, {AbstractValue::Kind::Module, one.module + "." + name});
      } else if (provided) {
        state.set(alias, name == "__version__" ? version_text(one.module) : AbstractValue{});
      } else {
        state.set(alias, {AbstractValue::Kind::Imported, name, module, &file_});
      }
    }
  }
}

void Conditions::import_all(bool provided, const std::string& module, PythonState& state) const {
  if (!provided) {
    for (const auto& [name, value] : modules_.all_of(file_, module)) state.set(name, value);
    return;
  }
  for (const auto& [path, functions] : provider_.modules) {
    for (const std::string& name : functions) {
      const std::string* const from = name.starts_with("_") ? nullptr : defining_module(module, name, provider_);
      if (from) state.set(name, {AbstractValue::Kind::Function, name, *from});
    }
  }
}

Result Conditions::attribute(const PythonNode& node, const PythonState& state) const {
  if (const AbstractValue value = named(node, state); value.kind != AbstractValue::Kind::Unknown) return value.constant;
  const PythonNode& asked = node.one("value");
  if (node.word == "co_varnames" || node.word == "co_argcount") {
    const bool is_code = asked.is("Attribute") && asked.word == "__code__";
    const Result names = is_code ? parameters_of(asked.one("value"), state) : std::nullopt;
    return names && node.word == "co_argcount" ? Constant::of_number(i64(names->items.size())) : names;
  }
  if (node.word == "version" && asked.is("Call") && asks_for_distribution(called_name(asked.one("func"), state)) &&
      is_provider(asked_package(asked, state)) && provider_.version) {
    return Constant::of_text(provider_.version->text);
  }
  const Result value = constant_of(asked, state);
  if (!value) return std::nullopt;
  if (value->kind == ConstantKind::Signature) return of_signature(*value, node.word);
  if (value->kind == ConstantKind::Parameter && node.word == "name") return Constant::of_text(value->text);
  if (value->kind == ConstantKind::Parameter && node.word == "default") return value->items.front();
  if (value->kind == ConstantKind::Member && node.word == "value") return value->items.front();
  if (value->kind == ConstantKind::Member && node.word == "name") {
    return Constant::of_text(value->text.substr(value->text.rfind('.') + 1));
  }
  if (value->kind != ConstantKind::Version) return std::nullopt;
  remarks_.more_than_order = remarks_.more_than_order || is_its_version(*value);
  return release_of(value->version, node.word);
}

// The names of a provider's function's parameters, and whether it takes others as well.
Result Conditions::signature_of(const PythonNode& function, const PythonState& state) const {
  const Result names = parameters_of(function, state);
  if (!names) return std::nullopt;
  const AbstractValue value = named(function, state);
  Constant signature = Constant::of_signature(names->items);
  signature.text = value.module + "." + value.name;
  signature.number = provider_.takes_any.count(value.module + "." + value.name) > 0;
  return signature;
}

// What inspect.signature(..) and inspect.getfullargspec(..) tell.
Result Conditions::of_signature(const PythonConstant& signature, const std::string& asked) const {
  if (asked == "args") return Constant::of_items(signature.items);
  const auto found = provider_.defaults.find(signature.text);
  if (found == provider_.defaults.end()) return std::nullopt;
  std::vector<std::pair<Constant, Constant>> parameters;
  std::vector<Constant> defaults;
  for (size_t n = 0; n < signature.items.size(); ++n) {
    const std::optional<std::string>& text = found->second[n];
    const Constant value = text ? Constant::written(*text) : Constant{ConstantKind::Unread};
    parameters.push_back({signature.items[n], {ConstantKind::Parameter, 0, signature.items[n].text, {}, {value}}});
    if (text) defaults.push_back(value);
  }
  if (asked == "parameters") return Constant::of_mapping(parameters);
  if (asked != "defaults" || signature.number) return std::nullopt;
  return defaults.empty() ? Constant{} : Constant::of_items(std::move(defaults));
}

// The names of a provider's function's parameters.
Result Conditions::parameters_of(const PythonNode& function, const PythonState& state) const {
  const AbstractValue value = named(function, state);
  const auto known = value.kind == AbstractValue::Kind::Function
                         ? provider_.parameters.find(value.module + "." + value.name)
                         : provider_.parameters.end();
  if (known == provider_.parameters.end()) return std::nullopt;
  remarks_.more_than_order = true;  // it differs by more than the versions that the source names
  std::vector<Constant> names;
  for (const std::string& one : known->second) names.push_back(Constant::of_text(one));
  return Constant::of_items(std::move(names));
}

}  // namespace ropewalk::compat
