#include "lib/compat/class_tree.h"

#include <algorithm>
#include <set>

namespace ropewalk::compat {

const PythonNode* method_of(const PythonNode& definition, const std::string& name) {
  const PythonNode* found = nullptr;
  for (const PythonNode& one : definition.all("body")) {
    if (!one.is_function() || one.word != name) continue;
    if (found) return nullptr;
    found = &one;
  }
  return found;
}

std::string own_of(const PythonNode& method) {
  return method.all("parameters").empty() ? "" : method.one("parameters").word + ".";
}

ClassTree::ClassTree(const std::vector<PythonNode>& statements) {
  std::map<std::string, const PythonNode*> known;
  visit_statements(statements, [&](const PythonNode& one) {
    if (!one.is("ClassDef")) return;
    for (const PythonNode& base : one.all("bases")) {
      if (const auto found = known.find(base.word); found != known.end()) bases_[&one].push_back(found->second);
    }
    known[one.word] = &one;
  });
}

std::optional<std::pair<const PythonNode*, const PythonNode*>> ClassTree::inherited(const PythonNode& definition,
                                                                                    const std::string& name) const {
  std::vector<const PythonNode*> rest = {&definition};
  for (size_t n = 0; n < rest.size(); ++n) {
    const auto bases = bases_.find(rest[n]);
    if (bases == bases_.end()) continue;
    for (const PythonNode* base : bases->second) {
      if (const PythonNode* const method = method_of(*base, name)) return std::pair(method, base);
      rest.push_back(base);
    }
  }
  return std::nullopt;
}

std::vector<const PythonNode*> ClassTree::below(const PythonNode& definition) const {
  std::set<const PythonNode*> above = {&definition};
  std::vector<const PythonNode*> found;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [one, bases] : bases_) {
      const auto is_above = [&](const PythonNode* base) { return above.count(base) > 0; };
      if (!std::ranges::any_of(bases, is_above) || !above.insert(one).second) continue;
      found.push_back(one);
      grown = true;
    }
  }
  return found;
}

}  // namespace ropewalk::compat
