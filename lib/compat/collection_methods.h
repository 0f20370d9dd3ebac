// Methods of lists, sets and mappings whose items are known.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/compat/constant.h"

namespace ropewalk::compat {

// What a method that changes nothing gives: flags.get("softcap"); nullopt: none that is known, or other arguments.
std::optional<PythonConstant> collection_method(const PythonConstant& whole, const std::string& method,
                                                const std::vector<PythonConstant>& given);

// What the collection is after a method that may change it; nullopt: not known.
std::optional<PythonConstant> after_method(const PythonConstant& whole, const std::string& method,
                                           const std::vector<PythonConstant>& given);

// The same after `whole[key] = value`.
std::optional<PythonConstant> with_item(const PythonConstant& whole, const PythonConstant& key,
                                        const PythonConstant& value);

// Whether a method of this name leaves the collection as it is.
bool only_reads(const std::string& method);
// Whether a method of this name changes a collection, by its name alone.
bool changes_its_owner(const std::string& method);

}  // namespace ropewalk::compat
