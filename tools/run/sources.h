// Where the sources of a run lie, and how their paths are reported.
#pragma once
#include "lib/base/source_paths.h"
#include "reports/source.h"
#include "tools/options/request.h"

namespace ropewalk::tools {

// Gives a command that honors --root its root where the option does not: the git checkout that holds the file that it
// checks (of several launch files the first), else that of the working folder, else the working folder. A command that
// does not honor it has none.
void settle_root(Request& request);

// How the paths of sources are reported.
SourcePaths source_paths_of(const SharedOptions& shared);

// The lines of sources by their paths as they are reported: under the root, in the working folder, in the folder that
// the programs were built from, and where --map took them from.
SourceLines source_lines_of(const SharedOptions& shared);

// "paths under /old are reported as those of /root", for each checkout whose files were taken for those of the root.
std::vector<std::string> notes_of(const SourcePaths& paths);

}  // namespace ropewalk::tools
