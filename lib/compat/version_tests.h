// Which conditions of a source ask for the provider's version, whether they can be computed or not.
#pragma once
#include <set>
#include <string>

#include "lib/compat/read_python.h"
#include "lib/compat/state.h"

namespace ropewalk {

// An expression asks for the version where it has the provider's `__version__`, the package's name in a call
// (`version("flash-attn")`), a look into what the provider has (`inspect.signature(f)`, `hasattr(flash_attn, ..)`), or
// a name, an attribute or a function of the file that was made of such an expression. A call or a list is made of one
// where all of its arguments or elements are constants or made of one: attention(q, k, is_new) gives a tensor,
// newer(V, "2.6") a test.
class VersionTests {
 public:
  VersionTests(const PythonFile& file, const ProviderView& provider);
  bool is_one(const PythonNode& expression) const;

 private:
  bool asks(const PythonNode& node) const;  // the node itself, whatever stands below it
  bool is_made_of_one(const PythonNode& value) const;
  void take(const std::vector<PythonNode>& body, bool depends);
  void take_target(const PythonNode& target);

  const ProviderView& provider_;
  std::set<std::string> provided_;    // names that the provider's modules and functions have here
  std::set<std::string> made_;        // names, attributes and functions made of its version
  std::set<std::string> parameters_;  // of the file's functions: what one gives such a name, another gets from a caller
};

}  // namespace ropewalk
