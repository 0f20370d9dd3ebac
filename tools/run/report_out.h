// Where a report goes: files and the terminal.
#pragma once
#include <string>

#include "reports/report.h"
#include "tools/options/shared.h"

namespace ropewalk {

// Throws InputError where a report file could not be written later: an unknown suffix, no such folder.
void require_report_files(const SharedOptions& options);

// Writes every report file. Throws InputError where one cannot be written.
void write_report_files(const Report& report, const SharedOptions& options);

// Whether the terminal's text is coloured.
bool wants_color(ColorChoice choice);

// Writes every report file, then prints the report. Throws InputError where a file cannot be written.
void put_out(const Report& report, const SharedOptions& options);

// Prints to standard output. A reader that has gone away (a closed pipe) is no error; a full disk is an InputError.
void print(const std::string& text);

}  // namespace ropewalk
