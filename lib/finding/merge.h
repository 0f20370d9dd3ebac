// Equal findings are one finding with counts.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"

namespace ropewalk {

// The findings of one case, each defect once: instructions of one source position are one defect. Accesses are added
// up; of threads and blocks the larger count stays, because they are the same ones. The example is that of the lowest
// block and thread. The order is that of the first of each.
std::vector<Finding> merged_in_case(std::vector<Finding> findings);

// Whether two findings are the same defect: of one rule, kernel, location and tensor, and of the same cause as far as
// one is known. One location can be hit for several causes, and each has its own advice.
bool same_defect(const Finding& a, const Finding& b);

// Equal for two findings that are the same defect.
std::string defect_key(const Finding& finding);

// Gives findings of one defect_id, which differ in their causes, ids of their own: the first keeps it, the others get
// their own_id.
void make_ids_unique(std::vector<Finding>& findings);

// Adds a finding of another case: an equal one is counted, not repeated. The example is that of the lowest case number,
// else the one that came first.
void merge_case(std::vector<Finding>& findings, Finding&& finding);

}  // namespace ropewalk
