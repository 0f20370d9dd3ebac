// Problems of calls as findings: equal ones are one, with their places, their cause and what to do.
#pragma once
#include <vector>

#include "lib/compat/check_compatibility.h"

namespace ropewalk {

std::vector<Finding> findings_of(const std::vector<JudgedProblem>& problems, const Caller& caller,
                                 const Provider& provider, const WorkingVersions& versions);

}  // namespace ropewalk
