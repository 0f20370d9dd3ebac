// Which classes of a file stand above and below which, by the names of their bases: a base is the last class of its
// name before. A class may have the name of its base.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/compat/python_node.h"

namespace ropewalk::compat {

// The method that the class itself defines; null: none, or it defines several of the name.
const PythonNode* method_of(const PythonNode& definition, const std::string& name);

// What a method's own attributes begin with: "self."; "" where it has no parameter.
std::string own_of(const PythonNode& method);

class ClassTree {
 public:
  explicit ClassTree(const std::vector<PythonNode>& statements);
  // The method that the class has from the nearest one above that the file defines, and that class.
  std::optional<std::pair<const PythonNode*, const PythonNode*>> inherited(const PythonNode& definition,
                                                                           const std::string& name) const;
  // Classes that inherit from this one, over any number of others.
  std::vector<const PythonNode*> below(const PythonNode& definition) const;

 private:
  std::map<const PythonNode*, std::vector<const PythonNode*>> bases_;  // that the file defines
};

}  // namespace ropewalk::compat
