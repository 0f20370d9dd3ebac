#include "lib/compat/definitions.h"

namespace ropewalk {
namespace {

constexpr int most_steps = 6;  // from module to module

void collect(const std::vector<PythonNode>& body, std::map<std::string, const PythonNode*>& own) {
  const auto add = [&](const std::string& name, const PythonNode& statement) {
    const auto [known, is_new] = own.emplace(name, &statement);
    if (!is_new) known->second = nullptr;
  };
  for (const PythonNode& statement : body) {
    if (statement.is_function()) {
      add(statement.word, statement);
      continue;
    }
    if (statement.is("ClassDef")) continue;
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) {
        if (target.is("Name")) add(target.word, statement);
        for (const PythonNode& part : target.all("elts")) add(part.word, statement);
      }
    }
    for (const auto& [field, nodes] : statement.fields) {
      if (is_block(field)) collect(nodes, own);
    }
  }
}

// "a.b.utils" of "..utils" in a module of the package a.b.c.
std::string absolute(const std::string& module, const PythonFile& file) {
  const size_t dots = module.find_first_not_of('.');
  const size_t level = dots == std::string::npos ? module.size() : dots;
  if (level == 0) return module;
  std::string folder = file.module;
  const size_t up = level - (file.path.ends_with("__init__.py") ? 1 : 0);
  for (size_t n = 0; n < up; ++n) folder.erase(folder.rfind('.') == std::string::npos ? 0 : folder.rfind('.'));
  return folder + (module.size() > level && !folder.empty() ? "." : "") + module.substr(level);
}

}  // namespace

const Definitions::Names& Definitions::names_of(const PythonFile& file) const {
  const auto [known, is_new] = names_.try_emplace(&file);
  Names& names = known->second;
  if (!is_new) return names;
  collect(file.statements, names.own);
  visit_statements(file.statements, [&](const PythonNode& statement) {
    if (!statement.is("ImportFrom") && !statement.is("Import")) return;
    for (const PythonNode& alias : statement.all("names")) {
      const std::string& called = alias.one("as") ? alias.one("as").word : alias.word;
      names.imports[called] =
          statement.is("Import") ? Import{alias.word, ""} : Import{absolute(statement.word, file), alias.word};
    }
  });
  return names;
}

const Definitions::Import* Definitions::import_of(const PythonFile& file, const std::string& name) const {
  const Names& names = names_of(file);
  const auto found = names.imports.find(name);
  return found == names.imports.end() || names.own.count(name) ? nullptr : &found->second;
}

Definitions::Found Definitions::find_imported(const PythonFile& file, const std::string& name, int depth) const {
  const Import* const import = import_of(file, name);
  if (!import || import->name.empty() || depth > most_steps) return {};
  const PythonFile* const other = find_module_ ? find_module_(import->module) : nullptr;
  return other ? find(*other, import->name, depth + 1) : Found{};
}

Definitions::Found Definitions::find_in(const Import& import, const std::string& name) const {
  const std::string module = import.name.empty() ? import.module : import.module + "." + import.name;
  const PythonFile* const other = find_module_ ? find_module_(module) : nullptr;
  return other ? find(*other, name) : Found{};
}

Definitions::Found Definitions::find(const PythonFile& file, const std::string& name, int depth) const {
  const Names& names = names_of(file);
  const auto own = names.own.find(name);
  if (own != names.own.end()) return {&file, own->second};
  return find_imported(file, name, depth);
}

}  // namespace ropewalk
