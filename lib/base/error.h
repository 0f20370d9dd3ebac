// Errors of input: what was wrong, where, and what was expected. One line, and the program ends with exit code 2.
#pragma once
#include <stdexcept>
#include <string>

#include "lib/base/types.h"

namespace ropewalk {

// A location in an input: a file with a line and a column (1-based; 0: not known), or a field such as
// "tensors.x.dtype".
struct InputLocation {
  std::string file;
  u64 line = 0;
  u64 column = 0;
  std::string field;

  // "file:line:column: field", leaving out what is not known.
  std::string text() const;
};

// Input that cannot be used: a malformed file, a wrong option, a contradiction. Never thrown for what a kernel does.
class InputError : public std::runtime_error {
 public:
  // what: one sentence that says what was found and what was expected.
  // Both are made one printable line: names out of a damaged file may hold anything.
  explicit InputError(const std::string& what);
  InputError(const InputLocation& location, const std::string& what);
};

// A fault of our own: a state the program's author held to be impossible. Exit code 4.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace ropewalk
