// Which conditions of a source ask for the provider's version, whether they can be computed or not.
#pragma once
#include <map>
#include <set>
#include <string>

#include "lib/compat/own_modules.h"

namespace ropewalk::compat {

// An expression asks for the version where it has the provider's `__version__`, the package's name in a call
// (`version("flash-attn")`), the list of what is installed (`importlib.metadata.distributions()`), a look into what the
// provider has (`inspect.signature(f)`, `hasattr(flash_attn, ..)`, `f.__code__`), or a name, an attribute or a function
// that was made of such an expression, here or in another module of the package. A call or a list is made of one where
// all of its arguments or elements are made of one or neutral: attention(q, k, is_new) gives a tensor, newer(V, "2.6")
// a test. Neutral is what has no data in it: constants, built-in functions, what is imported, and what is made of these
// alone. An expression that is made of neutral names and of one whose module is not there may ask for the version as
// well.
class VersionTests {
 public:
  VersionTests(const PythonFile& file, const OwnModules& modules);
  bool is_one(const PythonNode& expression) const;
  // Whether something in the node, or the statement, asks for the version.
  bool asks_inside(const PythonNode& node) const;
  // Whether the function may end with an error, or come back before one, by a version test.
  bool ends_by_version(const PythonNode& function) const;
  // Whether the file's name is made of the version.
  bool is_made(const std::string& name) const;
  // Whether the file gives something the name, or imports it.
  bool has(const std::string& name) const { return bound_.count(name) || imported_.count(name); }
  // What the file imports by the name; null: nothing.
  const AbstractValue* import_of(const std::string& name) const;

 private:
  bool asks(const PythonNode& node) const;  // the node itself, whatever stands below it
  // Whether it is one of the provider's modules, also one that is looked up by its name.
  bool is_provided(const PythonNode& node) const;
  // What gives the installed distributions, with their versions.
  bool lists_distributions(const PythonNode& node) const;
  // Of a call: it is given a function of the provider and nothing that is data, so that it may look inside.
  bool hands_over(const PythonNode& call) const;
  bool is_made_of_one(const PythonNode& value) const;
  bool is_neutral(const PythonNode& value) const;
  // Made of neutral names and of one whose module is not there.
  bool may_be_one(const PythonNode& value) const;
  OwnModules::Origin origin_of(const PythonNode& node) const;
  OwnModules::Origin origin_of_star(const std::string& name) const;
  void collect(const std::vector<PythonNode>& body);
  void take(const std::vector<PythonNode>& body, bool depends);
  void take_value(const PythonNode& statement, bool depends);
  void take_change(const PythonNode& statement, bool depends);
  // Whether a version test decides on what stands in the statement's blocks.
  bool decides(const PythonNode& statement) const;
  bool probes(const PythonNode& statement) const;
  bool raises_by_version(const PythonNode& function) const;
  bool tells_the_way(const PythonNode& function) const;
  // A value that says which way was taken, and no result: a constant, a truth, or made of neutral names.
  bool is_way(const PythonNode& value) const;
  bool returns_the_way(const std::vector<PythonNode>& body) const;
  // Of a call or a display: all of its parts are one or neutral, or a call has the version itself among them.
  bool is_put_together(const PythonNode& value) const;
  // Of what is made of the version: that it is the version, or a part of it, and not a test.
  bool is_version(const PythonNode& value) const;
  // A comprehension over neutral things whose conditions or elements are made of one.
  bool chooses(const PythonNode& comprehension) const;
  void take_target(const PythonNode& target, std::set<std::string>& into);

  const PythonFile& file_;
  const OwnModules& modules_;
  const ProviderView& provider_;
  std::set<std::string> provided_;       // names that the provider's modules and functions have here
  std::set<std::string> functions_;      // of these, the functions
  std::set<std::string> package_names_;  // names that are given the package's name as a text
  std::set<std::string> made_;           // names, attributes and functions made of its version
  std::set<std::string> versions_;       // of these, the version itself, and what is taken from it
  std::set<std::string> refusing_;       // functions that raise where a version test decides so
  std::set<std::string> may_be_;         // names made of what is not there
  std::set<std::string> parameters_;  // of the file's functions: what one gives such a name, another gets from a caller
  std::set<std::string> bound_;       // names that the file itself gives something
  std::map<std::string, u64> given_;  // how often
  std::set<std::string> neutral_;     // of these, what no data is in
  std::set<std::string> stars_;       // modules that all names are imported from
  std::map<std::string, AbstractValue> imported_;  // from elsewhere than the provider
};

}  // namespace ropewalk::compat
