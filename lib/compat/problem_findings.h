// Problems of calls as findings: equal ones are one, with their locations, their cause and what to do.
#pragma once
#include <vector>

#include "lib/compat/check_compatibility.h"

namespace ropewalk::compat {

std::vector<Finding> findings_of(const std::vector<JudgedProblem>& problems, const Caller& caller,
                                 const Provider& provider, const WorkingVersions& versions);

// Names that this version of the provider does not have, one finding a name and file.
std::vector<Finding> findings_of(const std::vector<MissingName>& names, const Caller& caller, const Provider& provider,
                                 const WorkingVersions& versions);

}  // namespace ropewalk::compat
