// Tables with fewer rows than the model has positions.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Positions that a table of this kind should have, as many as were asked for, or by its formula; 0: not known. One of
// longrope's short set has those before scaling: vLLM keeps it beside the long one, and transformers makes it for the
// texts that it is right for.
i64 wanted_rows(const JudgedTable& one);

// Notes the tables that are shorter, and are what a module's forward returned for a batch.
std::vector<std::string> notes_on_forwards(const std::vector<JudgedTable>& judged);

// Adds a finding for the shortest of them, and takes them for wrong. `judged` is by a configuration, which says how
// many positions there are; ranks: files in all.
void add_short_tables(std::vector<JudgedTable>& judged, i64 ranks, std::vector<Finding>& findings);

}  // namespace ropewalk::rope
