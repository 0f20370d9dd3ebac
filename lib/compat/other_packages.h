// What is known of packages that are neither the caller's nor the provider.
#pragma once
#include <string>

namespace ropewalk::compat {

// Modules, by their name or that of a module below, that belong to Python, or to what the provider itself needs: they
// are there whenever the provider is.
bool is_always_there(const std::string& module);
// Those, and others that know nothing of the provider's version.
bool knows_no_version(const std::string& module);

}  // namespace ropewalk::compat
