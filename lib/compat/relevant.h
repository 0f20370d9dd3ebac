// Which names of a source bear on its calls of a provider: the walk tells apart only ways on which these differ.
#pragma once
#include <set>
#include <string>

#include "lib/compat/read_python.h"
#include "lib/compat/state.h"

namespace ropewalk::compat {

// Names that stand for a provider's functions, the mappings and sequences that are unpacked in calls of them, and the
// names that conditions around assignments of those ask for at the level of the module.
std::set<std::string> relevant_names(const PythonFile& file, const ProviderView& provider);

// Names that the file imports a provider's function by, or gives one: another file may import them from it.
std::set<std::string> handed_on(const PythonFile& file, const ProviderView& provider);

// The names, and attributes such as "ctx.fused", that assignments, definitions and imports in a body and in what is
// below it give something; see globals_given as well.
std::set<std::string> assigned_names(const std::vector<PythonNode>& body);

// Names of the module that a statement gives something by other means than a plain assignment, and what it gives:
// globals()["NEW"] = .., globals().update(NEW=..), sys.modules[__name__].NEW = .., setattr(sys.modules[__name__],
// "NEW", ..).
std::vector<std::pair<std::string, const PythonNode*>> globals_given(const PythonNode& statement);

// Names of lists, sets and mappings that statements in a body and in what is below it change: flags["a"] = 1,
// flags.add("b").
std::set<std::string> changed_names(const std::vector<PythonNode>& body);
// Of these what surely changes them: items that are given or deleted, and methods of lists, sets and mappings that do.
std::set<std::string> filled_names(const std::vector<PythonNode>& body);
// The same as changed_names of the bodies of functions alone: these run at a time that is not known.
std::set<std::string> changed_in_functions(const std::vector<PythonNode>& body);
// Attributes that the statements give something, by their last name.
std::set<std::string> attributes_given(const std::vector<PythonNode>& body);

// Whether a call anywhere in the statements may give the function another value for its parameter than the default.
bool may_be_given(const std::vector<PythonNode>& body, const PythonNode& definition, const PythonNode& parameter);

// Whether the statements give one of the names a value, change it, or leave the block early.
bool changes_any(const std::vector<PythonNode>& body, const std::set<std::string>& names);

// `from a.b import c as d` and `import a.b as d`: the module, and pairs of what is imported and what it is called here
// (nothing of `import a.b`, which is then called by the module's own name).
struct Import {
  std::string module;
  bool whole = false;  // `import`, not `from`
  std::vector<std::pair<std::string, std::string>> names;
};
std::vector<Import> imports_of(const PythonNode& statement);

// Whether the provider has the module, or one below it.
bool is_module(const std::string& name, const ProviderView& provider);

// Whether one of the provider's modules has a function of this name.
bool is_function(const std::string& name, const ProviderView& provider);

// The provider's module that defines `name` of `module`; nullptr where it has none such. A package's functions may
// also be imported from a module above the one that defines them.
const std::string* defining_module(const std::string& module, const std::string& name, const ProviderView& provider);

}  // namespace ropewalk::compat
