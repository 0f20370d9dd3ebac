// Calls as data: of the shipped table, and of a person's own JSON file.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/compat/caller.h"

namespace ropewalk::compat {

// A range of the provider's versions, [from, below) or [from, to]; an end that is not given is open.
struct VersionRange {
  std::optional<PackageVersion> from, to, below;
  bool holds(const PackageVersion& version) const;
};

// "calls" with its surroundings: {"from", "to", "calls": [{"function", "at", "line", "positional": [..],
// "keywords": ["causal", {"name", "from", "below"}], "results": [{"index", "name", ..}], "unpacked": 4,
// "lse": [{"layout", ..}]}]}. Throws InputError with the field.
std::unique_ptr<Caller> read_call_table(const JsonCursor& cursor, std::string name, std::string file);

}  // namespace ropewalk::compat
