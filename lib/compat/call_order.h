// Which functions of a file run before which, as far as its own code says so.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/class_tree.h"
#include "lib/compat/read_python.h"

namespace ropewalk::compat {

// A function that nobody but the file's own code calls, by its name: of the module, or the forward of an autograd
// function, which its class's apply calls.
struct LocalFunction {
  const PythonNode* definition = nullptr;
  std::vector<NamedText> parameters;  // that a call fills, with the texts of their defaults
};

class CallOrder {
 public:
  // `is_named_elsewhere`: whether another file of the package has the name in it.
  CallOrder(const PythonFile& file, const std::function<bool(const std::string&)>& is_named_elsewhere);

  const ClassTree& classes() const { return classes_; }
  // By the name that a call says: "f", "C.apply". Null: anybody may call it.
  const LocalFunction* local(const std::string& called) const;
  // Functions and classes that the file names elsewhere than in themselves, and that nobody else uses.
  const std::set<std::string>& used_here_alone() const { return used_here_alone_; }
  bool is_local(const PythonNode& definition) const { return local_definitions_.count(&definition) > 0; }
  // The definitions that must have been walked before: those of callers, and the one that it comes after.
  const std::set<const PythonNode*>& before(const PythonNode& definition) const;
  // What has come to an end when the definition's function runs: of a method its class's __init__ or setUp, of the
  // backward of an autograd function the forward. Null: nothing that is known.
  const PythonNode* comes_after(const PythonNode& definition) const;
  // Of a method that runs before the others of its class: the parameters that it keeps as attributes, "self.softcap" by
  // "softcap", which nothing else changes. Null: it is none.
  const std::map<std::string, std::string>* keeps(const PythonNode& definition) const;
  // Whether something else than such methods gives an attribute of the name a value.
  bool is_changed(const std::string& attribute) const { return changed_.count(attribute) > 0; }
  // Whether it is the forward or the backward of an autograd function, whose ctx goes from the one to the other.
  bool has_context(const PythonNode& definition) const { return with_context_.count(&definition) > 0; }

 private:
  void take_class(const PythonNode& one);
  void take_block(const std::vector<PythonNode>& body);
  void find_callers();
  void find_kept();

  const ClassTree classes_;
  std::set<std::string> used_here_alone_;
  std::map<std::string, LocalFunction> candidates_;  // by the name that a call says
  std::set<const PythonNode*> local_definitions_, with_context_;
  std::vector<const PythonNode*> definitions_;  // of functions of the module and of methods
  std::map<const PythonNode*, const PythonNode*> after_;
  std::map<const PythonNode*, std::map<std::string, std::string>> kept_;
  std::set<std::string> changed_;  // attributes
  std::map<const PythonNode*, std::set<const PythonNode*>> before_;
};

// The names that a def's parameters give inside of it, with the texts of their defaults.
std::vector<NamedText> parameters_of(const PythonNode& definition);

}  // namespace ropewalk::compat
