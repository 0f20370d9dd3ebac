// Where a report goes: the terminal and files.
#pragma once
#include <string>
#include <vector>

#include "reports/report.h"
#include "tools/exit_code.h"
#include "tools/options/shared.h"

namespace ropewalk::tools {

// Throws InputError where no report of the options could be written whatever happens (an unknown suffix), or where the
// baseline or the suppressions cannot be read. A file that cannot be written is reported on standard error, as
// a warning: the run goes on without that file.
// `inputs`: files that the command reads and that no report may take the place of.
void require_report_files(const SharedOptions& options, const std::vector<std::string>& inputs = {});

// Whether the text is coloured, on the standard output or another stream.
bool wants_color(ColorChoice choice, int to = 1);

// Waives what the baseline knows and what is suppressed, prints the report, writes every report file, and tells last,
// on standard error, what of all this failed and which input could not be read. Gives how the program ends: where there
// are findings Findings, else by what failed, else by the verdict.
// `to` is the standard output or another stream.
ExitCode put_out(reports::Report report, const SharedOptions& options, int to = 1);

// The same with a text of the caller's in place of the report's, for a report that is waived and concluded.
ExitCode put_out(const reports::Report& report, const SharedOptions& options, const std::string& text, int to = 1);

// Prints to standard output or another stream. A reader that has gone away (a closed pipe) is no error; a full disk is
// an InputError.
void print(const std::string& text, int to = 1);

}  // namespace ropewalk::tools
