// What a caller does with log-sum-exp that its number of dimensions bears on.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/read_calls.h"
#include "lib/compat/read_python.h"

namespace ropewalk::compat {

// By its name.
bool names_lse(const PythonNode& node);

struct LseUse {
  const PythonNode* statement = nullptr;  // null: there is none
  std::string unclear;  // the version test that cannot be computed and that decides on it; empty: it is reached
  bool apart = false;   // it stands in a function that nothing says gets the log-sum-exp of this call
  bool fails = false;  // whatever the dimensions mean: their number is another one, `batch, heads, longest = lse.shape`
};

// The first use of log-sum-exp on the ways of a tensor of so many dimensions, as it comes from a call in the line: in
// the function around the call, in those that it is handed to or returned to, and in the other methods of its class.
// Tests of the number of dimensions are computed; where there is one, nothing but what fails is a use, and so it is in
// a try that catches the error. `others`: lines of calls whose log-sum-exp is another one. `reached`: see CallsRead.
LseUse first_use_of_lse(const PythonFile& file, u64 line, const std::set<u64>& others, size_t dimensions,
                        const std::map<const PythonNode*, std::string>& reached);

}  // namespace ropewalk::compat
