// Equal findings are one finding with counts.
#pragma once
#include <vector>

#include "lib/finding/finding.h"

namespace ropewalk {

// The findings of one case, each defect once: instructions of one source position are one defect. Accesses are added
// up; of threads and blocks the larger count stays, because they are the same ones. The example is that of the lowest
// block and thread. The order is that of the first of each.
std::vector<Finding> merged_in_case(std::vector<Finding> findings);

// Adds a finding of another case: an equal one is counted, not repeated, and the first case stays its example.
void merge_case(std::vector<Finding>& findings, Finding&& finding);

}  // namespace ropewalk
