// Where a report goes: files and the terminal.
#pragma once
#include <string>

#include "reports/report.h"
#include "tools/options/shared.h"

namespace ropewalk {

// Throws InputError where a report file could not be written later (an unknown suffix, no such folder), or where the
// baseline or the suppressions cannot be read.
void require_report_files(const SharedOptions& options);

// Writes every report file, with the source lines that findings name. Throws InputError where one cannot be written.
void write_report_files(const Report& report, const SharedOptions& options);

// Whether the terminal's text is coloured.
bool wants_color(ColorChoice choice);

// Excuses what the baseline knows and what is suppressed, writes every report file, prints the report, and gives the
// verdict that it comes to. Throws InputError where a file cannot be written.
Verdict put_out(Report report, const SharedOptions& options);

// Prints to standard output. A reader that has gone away (a closed pipe) is no error; a full disk is an InputError.
void print(const std::string& text);

}  // namespace ropewalk
