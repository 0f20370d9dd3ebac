// The command `atlas` of both programs: the known bugs, run and judged.
#pragma once
#include "tools/exit_code.h"
#include "tools/options/request.h"

namespace ropewalk::tools {

// Runs every seeded bug that is asked for and its correct counterpart, writes the report files and prints the table.
// Clean where each is found as the atlas says and each counterpart is silent. Throws InputError for a row that there is
// not.
ExitCode run_atlas(const AtlasOptions& options, const Request& request);

}  // namespace ropewalk::tools
