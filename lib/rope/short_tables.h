// Tables with fewer rows than the model has positions.
#pragma once
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Positions that a table of this kind should have, by its formula; 0: not known. One of longrope's short set has those
// before scaling: vLLM keeps it beside the long one, and transformers makes it for the texts that it is right for.
i64 wanted_rows(const JudgedTable& one);

// Adds a finding for the shortest of them, and takes them for wrong. `judged` is by a configuration, which says how
// many positions there are; ranks: files in all.
void add_short_tables(std::vector<JudgedTable>& judged, i64 ranks, std::vector<Finding>& findings);

}  // namespace ropewalk::rope
