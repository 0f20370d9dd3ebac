// What each command that checks something makes of its options: a report.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk::tools {

// Each throws InputError where an input cannot be read, a name is not known, or a precondition rejects the problem.
// One problem of a kernel, and launch files: the cases of a plan (tools/commands/planned_cases.h).
reports::Report examine(const KernelOptions& options, const Request& request);
reports::Report examine(const LaunchOptions& options, const Request& request);
// A campaign, with its corpus.
reports::Report examine(const FuzzOptions& options, const Request& request);
// A program on the virtual GPU: a case is a launch. The program's input and output are ours.
reports::Report examine(const RunRequest& options, const Request& request);
// Dumped caches: a case is a table.
reports::Report examine(const CacheOptions& options, const Request& request);
// A caller beside a provider: a case is a call.
reports::Report examine(const CompatOptions& options, const Request& request);
// The plan of an initialisation.
reports::Report examine(const InitOptions& options, const Request& request);
// Known bugs beside their counterparts: a case is a run of either.
reports::Report examine(const AtlasOptions& options, const Request& request);
// Several reports made one. One alone stays as it is, for --report to write it in another format.
reports::Report examine(const MergeOptions& options, const Request& request);
// The commands that the findings of a report end with, run again: which findings show again. Notes say which do not,
// and whose kernel has another PTX than when it was found.
reports::Report examine(const ReplayOptions& options, const Request& request);

// Whether the command is one of those above.
bool checks_something(const Command& command);
// The command of the request, one of those above.
reports::Report examine(const Request& request);

}  // namespace ropewalk::tools
