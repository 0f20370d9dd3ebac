#include "lib/compat/own_modules.h"

#include <algorithm>

#include "lib/compat/other_packages.h"
#include "lib/compat/relevant.h"
#include "lib/compat/version_tests.h"
#include "lib/compat/walk.h"

namespace ropewalk::compat {
namespace {

constexpr int most_steps = 12;  // from module to module

// Names that functions of the file give a value when they are called.
std::set<std::string> changed_later(const PythonFile& file) {
  std::set<std::string> names;
  visit_statements(file.statements, [&](const PythonNode& statement) {
    if (statement.is("Global")) names.merge(names_of_words(statement.word));
    if (!statement.is_function()) return;
    visit_statements(statement.all("body"), [&](const PythonNode& inner) {
      for (const auto& [name, value] : globals_given(inner)) names.insert(name);
    });
  });
  return names;
}

}  // namespace

std::string absolute_module(const std::string& module, const PythonFile& file) {
  const size_t dots = module.find_first_not_of('.');
  const size_t level = dots == std::string::npos ? module.size() : dots;
  if (level == 0) return module;
  std::string folder = file.module;
  const size_t up = level - (file.path.ends_with("__init__.py") ? 1 : 0);
  for (size_t n = 0; n < up; ++n) folder.erase(folder.rfind('.') == std::string::npos ? 0 : folder.rfind('.'));
  return folder + (module.size() > level && !folder.empty() ? "." : "") + module.substr(level);
}

OwnModules::OwnModules(FindModule find_module, const ProviderView& provider, const OwnModules* other,
                       IsWrittenElsewhere is_written_elsewhere)
    : find_module_(std::move(find_module)),
      is_written_elsewhere_(std::move(is_written_elsewhere)),
      provider_(provider),
      other_(other) {}
OwnModules::~OwnModules() = default;

const SharedMap<AbstractValue>* OwnModules::values_of(const PythonFile& file) const {
  if (walked_.count(&file)) return nullptr;
  const auto known = values_.find(&file);
  if (known != values_.end()) return &known->second;
  walked_.insert(&file);
  const CallOrder order(file, [](const std::string&) { return true; });
  const std::vector<PythonState> ends = CallWalk(file, order, *this).module_ends();
  walked_.erase(&file);
  SharedMap<AbstractValue>& values = values_[&file];
  if (ends.empty()) return &values;
  values = ends.front().values;
  const std::set<std::string> changed = changed_later(file);
  values.erase_if([&](const auto& one) {
    const auto differs = [&](const PythonState& end) {
      return !end.find(one.first) || *end.find(one.first) != one.second;
    };
    return one.second.kind == AbstractValue::Kind::Result || changed.count(one.first) ||
           std::ranges::any_of(ends, differs);
  });
  return &values;
}

bool OwnModules::has(const AbstractValue& value) const {
  return value.kind == AbstractValue::Kind::Imported && find_module_ && find_module_(*value.file, value.module);
}

const PythonFile* OwnModules::file_of(const AbstractValue& value) const {
  return value.kind == AbstractValue::Kind::Imported && find_module_ ? find_module_(*value.file, value.module)
                                                                     : nullptr;
}

bool OwnModules::denies(const PythonFile& file, const std::string& name, const PackageVersion& release) const {
  const auto [known, is_new] = denied_.try_emplace({&file, name}, false);
  if (!is_new) return known->second;
  visit_statements(file.statements, [&](const PythonNode& statement) {
    const PythonNode& target = statement.one(statement.is("Assign") ? "targets" : "target");
    if (target.word != name || !(target.is("Name") || target.is("Attribute"))) return;
    bool compares = false, agrees = false;
    visit_nodes(statement.one("value"), [&](const PythonNode& node) {
      const auto version = node.is("Text") ? parse_version(node.word) : std::nullopt;
      compares = compares || version.has_value();
      agrees = agrees || version == release;
    });
    known->second = known->second || (compares && !agrees);
  });
  return known->second;
}

const std::set<std::string>& OwnModules::given_in(const PythonFile& file) const {
  const auto [known, is_new] = given_.try_emplace(&file);
  if (!is_new) return known->second;
  const std::set<std::string> filled = filled_names(file.statements), assigned = assigned_names(file.statements);
  const auto take = [&](const std::string& name) {
    if (!name.starts_with("self.") && !name.starts_with("cls.")) known->second.insert(name);
  };
  std::ranges::for_each(filled, take);
  for (const std::string& name : assigned) {
    if (name.find('.') != std::string::npos) take(name);
  }
  return known->second;
}

AbstractValue OwnModules::resolved(const AbstractValue& value, int depth) const {
  if (value.kind != AbstractValue::Kind::Imported) return value;
  if (depth >= most_steps || !has(value)) return {};
  if (value.name.empty()) return value;
  const PythonFile& file = *find_module_(*value.file, value.module);
  const SharedMap<AbstractValue>* const values = values_of(file);
  if (!values) return {};
  const auto found = (*values)->find(value.name);
  if (found != (*values)->end() && !is_itself(found->second, file, value.name)) {
    if (found->second.constant && is_written_elsewhere(file, value.name)) return {};
    return resolved(found->second, depth + 1);
  }
  return resolved(AbstractValue{AbstractValue::Kind::Imported, "", value.module + "." + value.name, value.file},
                  depth + 1);
}

bool OwnModules::is_itself(const AbstractValue& value, const PythonFile& file, const std::string& name) const {
  return value.kind == AbstractValue::Kind::Imported && value.name == name &&
         find_module_(*value.file, value.module) == &file;
}

std::map<std::string, AbstractValue> OwnModules::all_of(const PythonFile& from, const std::string& module) const {
  std::map<std::string, AbstractValue> names;
  const PythonFile* const file = find_module_ ? find_module_(from, module) : nullptr;
  const SharedMap<AbstractValue>* const values = file ? values_of(*file) : nullptr;
  if (!values) return names;
  const AbstractValue listed = resolved(AbstractValue{AbstractValue::Kind::Imported, "__all__", module, &from});
  for (const auto& [name, value] : *values) {
    const bool is_listed = listed.constant && compare(PythonConstant::of_text(name), "In", *listed.constant) == true;
    if (listed.constant ? is_listed : !name.starts_with("_") && name.find('.') == std::string::npos) {
      names[name] = AbstractValue{AbstractValue::Kind::Imported, name, module, &from};
    }
  }
  return names;
}

const VersionTests* OwnModules::tests_of(const PythonFile& file) const {
  if (other_) return other_->tests_of(file);
  if (collected_.count(&file)) return nullptr;
  std::unique_ptr<VersionTests>& tests = tests_[&file];
  if (!tests) {
    collected_.insert(&file);
    tests = std::make_unique<VersionTests>(file, *this);
    collected_.erase(&file);
  }
  return tests.get();
}

OwnModules::Origin OwnModules::origin_of(const AbstractValue& imported) const {
  if (knows_no_version(imported.module)) return Origin::Other;
  const PythonFile* const file = find_module_ ? find_module_(*imported.file, imported.module) : nullptr;
  if (!file) return Origin::NotThere;
  if (imported.name.empty()) return Origin::Other;  // a module is no test; its names may be
  const VersionTests* const tests = tests_of(*file);
  if (!tests) return Origin::Other;
  if (is_written_elsewhere(*file, imported.name)) return Origin::Version;
  // Modules may import a name from each other, and a package its submodule from itself.
  const auto [asked, is_new] = asked_names_.emplace(file, imported.name);
  if (!is_new) return Origin::NotThere;
  const bool is_made = tests->is_made(imported.name);
  asked_names_.erase(asked);
  if (is_made) return Origin::Version;
  if (tests->has(imported.name) || find_module_(*imported.file, imported.module + "." + imported.name)) {
    return Origin::Other;
  }
  return Origin::NotThere;  // a star import, or the module's __getattr__
}

OwnModules::Origin OwnModules::origin_of_attribute(const AbstractValue& object, const std::string& attribute,
                                                   int depth) const {
  const PythonFile* const file = find_module_ ? find_module_(*object.file, object.module) : nullptr;
  const VersionTests* const tests = file && depth < most_steps ? tests_of(*file) : nullptr;
  if (!tests) return origin_of(object);
  if (tests->is_made(attribute) || is_written_elsewhere(*file, object.name + "." + attribute)) return Origin::Version;
  const AbstractValue* const further = tests->import_of(object.name);
  return further ? origin_of_attribute(*further, attribute, depth + 1) : origin_of(object);
}

AbstractValue OwnModules::module_of(const AbstractValue& imported) const {
  if (imported.name.empty()) return imported;
  AbstractValue module = imported;
  module.module += "." + imported.name;
  module.name.clear();
  return has(module) ? module : AbstractValue{};
}

}  // namespace ropewalk::compat
