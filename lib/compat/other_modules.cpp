#include "lib/compat/other_modules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "lib/compat/relevant.h"

namespace ropewalk::compat {

std::vector<std::string> notes_on_other_modules(const std::vector<const PythonFile*>& files, const Provider& provider) {
  if (!provider.from_table) return {};
  const ProviderView view = provider.view();
  std::map<std::string, std::set<std::string>> names;  // by module
  for (const PythonFile* file : files) {
    visit_statements(file->statements, [&](const PythonNode& statement) {
      for (const Import& import : imports_of(statement)) {
        const std::string top = import.module.substr(0, import.module.find('.'));
        if (!same_package(top, provider.package) || is_module(import.module, view)) continue;
        names[import.module];
        for (const auto& [name, alias] : import.names) {
          if (!import.whole) names[import.module].insert(name);
        }
      }
    });
  }
  std::vector<std::string> notes;
  for (const auto& [module, imported] : names) {
    notes.push_back(fmt::format(
        "calls of {}{} are not judged: the shipped table does not have this module; give the path of the sources of {}",
        module, imported.empty() ? "" : fmt::format(" ({})", fmt::join(imported, ", ")), provider.package));
  }
  return notes;
}

}  // namespace ropewalk::compat
