#include "lib/compat/module_names.h"

#include <optional>

#include "lib/compat/own_modules.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

// What may give a module names that no statement says.
bool may_give_names(const PythonFile& file) {
  static const std::set<std::string> words = names_of_words("globals vars locals exec eval __dict__ modules");
  bool found = false;
  for (const PythonNode& statement : file.statements) {
    visit_nodes(statement, [&](const PythonNode& one) {
      const bool is_name = one.is("Name") || one.is("Attribute");
      found = found || (is_name && words.count(one.word)) || (one.is_function() && one.word == "__getattr__");
    });
  }
  return found;
}

class Names {
 public:
  Names(const SourceTree& tree, const std::vector<PythonFile>& files) : tree_(tree) {
    for (const PythonFile& file : files) {
      files_[file.module] = &file;
      // What one module gives an attribute of another.
      written_.merge(attributes_given(file.statements));
    }
  }

  std::map<std::string, std::set<std::string>> all() {
    std::map<std::string, std::set<std::string>> known;
    for (const auto& [module, file] : files_) {
      std::set<const PythonFile*> asked;
      if (auto names = names_of(*file, asked)) known[module] = std::move(*names);
    }
    return known;
  }

 private:
  // nullopt: there may be others. asked: modules that take all names of this one.
  std::optional<std::set<std::string>> names_of(const PythonFile& file, std::set<const PythonFile*>& asked) const {
    if (!asked.insert(&file).second) return std::set<std::string>{};
    if (may_give_names(file)) return std::nullopt;
    std::set<std::string> names = assigned_names(file.statements);
    names.insert(written_.begin(), written_.end());
    bool known = add_below(file, names);
    visit_statements(file.statements, [&](const PythonNode& statement) {
      if (statement.is("Global")) names.merge(names_of_words(statement.word));
      for (const Import& import : imports_of(statement)) {
        if (import.whole && import.names.empty()) names.insert(import.module.substr(0, import.module.find('.')));
        for (const auto& [name, alias] : import.names) {
          if (name == "*") known = add_all_of(absolute_module(import.module, file), names, asked) && known;
        }
      }
    });
    return known ? std::optional(names) : std::nullopt;
  }

  bool add_all_of(const std::string& module, std::set<std::string>& names, std::set<const PythonFile*>& asked) const {
    const auto found = files_.find(module);
    auto others = found == files_.end() ? std::nullopt : names_of(*found->second, asked);
    if (!others) return false;
    names.merge(*others);
    return true;
  }

  // The modules and folders beside a package's __init__.py. Of a file alone they are not known.
  bool add_below(const PythonFile& file, std::set<std::string>& names) const {
    const std::string end = "__init__.py";
    if (!file.path.ends_with(end)) return true;
    if (tree_.path.ends_with(".py")) return false;
    const std::string folder = file.path.substr(0, file.path.size() - end.size());
    const auto add = [&](const std::string& path) {
      if (path.starts_with(folder))
        names.insert(path.substr(folder.size(), path.find_first_of("/.", folder.size()) - folder.size()));
    };
    for (const SourceText& one : tree_.files) add(one.path);
    for (const std::string& path : tree_.compiled) add(path);
    return true;
  }

  const SourceTree& tree_;
  std::map<std::string, const PythonFile*> files_;
  std::set<std::string> written_;
};

}  // namespace

std::map<std::string, std::set<std::string>> names_of_modules(const SourceTree& tree,
                                                              const std::vector<PythonFile>& files) {
  return Names(tree, files).all();
}

bool has(const ProviderView& provider, const std::string& module, const std::string& name) {
  const auto known = provider.names.find(module);
  return known != provider.names.end() && known->second.count(name) > 0;
}

bool lacks(const ProviderView& provider, const std::string& module, const std::string& name) {
  if (name.starts_with("__")) return false;
  const auto known = provider.names.find(module);
  return known != provider.names.end() ? !known->second.count(name) : provider.other_names.count(name) > 0;
}

}  // namespace ropewalk::compat
