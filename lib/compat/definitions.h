// What the names of a package's modules stand for: functions, constants, and names that other modules are asked for.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "lib/compat/read_python.h"

namespace ropewalk {

// The file of a module of the caller's own package; null where it has none such.
using FindModule = std::function<const PythonFile*(const std::string& module)>;

class Definitions {
 public:
  explicit Definitions(FindModule find_module) : find_module_(std::move(find_module)) {}

  struct Import {
    std::string module, name;  // `from module import name`; of `import module as alias` the name is empty
  };
  // What the file imports by this name; null: nothing.
  const Import* import_of(const PythonFile& file, const std::string& name) const;

  struct Found {
    const PythonFile* file = nullptr;
    const PythonNode* statement = nullptr;  // the def, or the one assignment
  };
  // The function or the constant that the file's module has by this name, also where it is imported from the package's
  // own modules. No statement: there is none, or it has several.
  Found find(const PythonFile& file, const std::string& name, int depth = 0) const;
  // The same, of imported names alone.
  Found find_imported(const PythonFile& file, const std::string& name, int depth = 0) const;
  // The same, of a name of an imported module: `from . import utils`, `utils.name`.
  Found find_in(const Import& import, const std::string& name) const;

 private:
  struct Names {
    std::map<std::string, Import> imports;
    std::map<std::string, const PythonNode*> own;  // null: there are several
  };
  const Names& names_of(const PythonFile& file) const;

  FindModule find_module_;
  mutable std::map<const PythonFile*, Names> names_;
};

}  // namespace ropewalk
