// Runs the built programs.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk::testing {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal where one ended it
  std::string output;  // standard output
  std::string errors;  // standard error
  double seconds = 0;
};

// `arguments` as in a shell, in the root of the repository.
ProgramResult rope_check(const std::string& arguments);
ProgramResult attn_fuzz(const std::string& arguments);

// The same with a JSON report, which is read back. Fails the test where there is none.
struct Reported {
  ProgramResult program;
  reports::Report report;
};
Reported rope_check_report(const std::string& arguments);
// The JSON report in a file.
reports::Report report_at(const std::string& path);

// A path for a file of this test process, in the system's folder for such files; removed at the end of the process.
std::string scratch(const std::string& name);
// Such a file with this text; its folder is made.
std::string written(const std::string& name, const std::string& text);

}  // namespace ropewalk::testing
