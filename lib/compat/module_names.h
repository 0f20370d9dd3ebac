// The names that the modules of a provider's sources have, where all of them are known.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/source_tree.h"
#include "lib/compat/state.h"

namespace ropewalk::compat {

// By module: what its statements give a name, however deep they stand, what it imports, and the modules below it. A
// module that may have others is left out: it has a __getattr__, writes into globals(), or takes all names of another
// one that is such, or is not there.
std::map<std::string, std::set<std::string>> names_of_modules(const SourceTree& tree,
                                                              const std::vector<PythonFile>& files);

// Whether the provider's module surely has, or surely has not, the name. Of a table that is so of functions that other
// versions have.
bool has(const ProviderView& provider, const std::string& module, const std::string& name);
bool lacks(const ProviderView& provider, const std::string& module, const std::string& name);

}  // namespace ropewalk::compat
