// Which of its own functions and classes a file uses on the ways that a walk goes.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call_order.h"

namespace ropewalk::compat {

// A file that names a function or a class of its own only where its version tests rule it out, or where one that cannot
// be computed decides, has it for other versions: `attention = new_one if at_least("2.6") else old_one`.
class Reach {
 public:
  explicit Reach(const CallOrder& order) : definitions_(&order.used_here_alone()) {}
  // The walk has met the name inside a definition of the module's own level, or in none (""). unclear: a test that
  // decides whether it does; empty: none.
  void mention(const std::string& name, const std::string& from, const std::string& unclear);
  // By the definition's name, why it is not known whether it is used.
  std::map<std::string, std::string> unknown() const;

 private:
  const std::set<std::string>* definitions_;
  std::map<std::string, std::map<std::string, std::set<std::string>>> mentions_;  // by name and by where, the tests
};

}  // namespace ropewalk::compat
