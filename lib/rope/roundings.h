// Tables that were rounded to a shorter format than they should have.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"
#include "lib/rope/read_config.h"

namespace ropewalk::rope {

// Tables, right by themselves, in a wide format whose values are all those of a short one, and tables that another rank
// has in a longer format. `config`: null without one. Returns notes.
std::vector<std::string> judge_roundings(std::vector<JudgedTable>& judged, const RopeConfig* config);

}  // namespace ropewalk::rope
