// The calls that a Python source makes of a provider's functions, for one version of the provider.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/call_order.h"
#include "lib/compat/conditions.h"
#include "lib/compat/state.h"

namespace ropewalk::compat {

struct CallsRead {
  std::vector<Call> calls;
  std::vector<MissingName> missing;
  std::vector<LostFunction> lost;
  // Statements that a way leads to; with a version test that cannot be computed where every such way depends on one.
  std::map<const PythonNode*, std::string> reached;
  bool too_many_ways = false;  // some ways through the source were left out
  VersionRemarks versions;
};

// Walks every way through the module and its functions that the version tests leave open, without executing anything:
// imports, names given to functions, mappings built by literal assignments, and calls are followed; conditions that
// cannot be computed are taken both ways, the same condition the same way within one function. A function that the
// file's own code alone calls is walked with what all of its calls say of a parameter's truth, and not at all where
// none is reached; a method after its class's __init__, and an autograd function's backward after its forward, with
// the truths that this leaves in ctx. What a function gives names that it declares global, other functions find there.
CallsRead read_calls(const PythonFile& file, const CallOrder& order, const OwnModules& modules);

}  // namespace ropewalk::compat
