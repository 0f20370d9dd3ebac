// The atlas as a table for people.
#pragma once
#include <string>
#include <vector>

#include "tools/atlas/judge.h"

namespace ropewalk::tools {

// A line for each run: row, bug, by which rule it was found, the cause, the time; below it what is not as expected.
std::string atlas_table(const std::vector<AtlasRun>& runs, const std::vector<AtlasJudgement>& judgements, bool color);

}  // namespace ropewalk::tools
