// Which conditions of a source ask for the provider's version, whether they can be computed or not.
#pragma once
#include <set>
#include <string>

#include "lib/compat/read_python.h"
#include "lib/compat/state.h"

namespace ropewalk {

// An expression asks for the version where it has the provider's `__version__`, the package's name in a call
// (`version("flash-attn")`), a look into what the provider has (`inspect.signature(f)`, `hasattr(flash_attn, ..)`), or
// a name, an attribute or a function of the file that was made of such an expression.
class VersionTests {
 public:
  VersionTests(const PythonFile& file, const ProviderView& provider);
  bool is_one(const PythonNode& expression) const;

 private:
  void take(const std::vector<PythonNode>& body, bool depends);
  void take_target(const PythonNode& target);

  const ProviderView& provider_;
  std::set<std::string> provided_;  // names that the provider's modules and functions have here
  std::set<std::string> made_;      // names, attributes and functions made of its version
};

}  // namespace ropewalk
