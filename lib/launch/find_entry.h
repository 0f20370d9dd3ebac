// The entry of a module that somebody means.
#pragma once
#include <string>

#include "lib/ptx/module.h"

namespace ropewalk {

// What a name leads to: one entry, or why none.
struct FoundEntry {
  const ptx::Function* entry = nullptr;
  std::string why_none;
};

// By its name in the PTX; or as C++ writes it, of which parameters, template arguments and namespaces may be left out
// and blanks do not count: "rotate<float>(float*, int)", "rotate<float>", "rotate"; or by a part of its name in the
// PTX. The first of these that fits any entry must fit one alone.
FoundEntry find_entry(const ptx::Module& module, const std::string& name);

}  // namespace ropewalk
