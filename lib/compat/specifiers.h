// Sets of versions as packaging writes them: ">=2.6,<3".
#pragma once
#include <optional>
#include <string>

#include "lib/compat/version.h"

namespace ropewalk::compat {

// Whether the set has the version. nullopt: it is no set, has "===", or the version is a preview that it does not name,
// which packaging's releases have not treated alike.
std::optional<bool> admits(const std::string& specifiers, const PackageVersion& version);

}  // namespace ropewalk::compat
