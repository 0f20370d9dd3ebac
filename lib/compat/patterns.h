// Regular expressions that a source takes a version apart with.
#pragma once
#include <optional>
#include <string>

#include "lib/compat/constant.h"

namespace ropewalk::compat {

// What Python's re.match, search, fullmatch or findall ("match", ..) gives for a pattern: a Match, None or a list.
// nullopt where the pattern has something that is not known here, or the text is long.
std::optional<PythonConstant> matched(const std::string& function, const std::string& pattern, const std::string& text);

// Whether the module re has a function of this name that matched() knows.
bool is_matching(const std::string& function);

// What a method of a Match gives for these arguments: group, groups, groupdict.
std::optional<PythonConstant> match_method(const PythonConstant& match, const std::string& method,
                                           const std::vector<PythonConstant>& given);

}  // namespace ropewalk::compat
