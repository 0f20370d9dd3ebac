// Until where a function asks for what is known of its variables: what nobody asks for any more tells no ways apart.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/compat/python_node.h"

namespace ropewalk::compat {

class AskedLines {
 public:
  explicit AskedLines(const std::vector<PythonNode>& body);
  // The last line of a statement that has the text in it; 0: none has.
  u64 last(const std::string& text);
  // The text is asked for when the function has ended, too.
  void keep(const std::string& text) { known_[text] = ~u64(0); }

 private:
  std::vector<std::pair<u64, std::string>> statements_;  // line and text
  std::map<std::string, u64> known_;
};

}  // namespace ropewalk::compat
