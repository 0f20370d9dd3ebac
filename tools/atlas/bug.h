// A known bug of the atlas, whatever it is seeded in: a kernel, dumped caches, the plan of an initialisation,
// the calls of a library.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/atlas.h"
#include "lib/base/stopwatch.h"
#include "lib/finding/answer.h"
#include "tools/options/request.h"
#include "tools/run/cases.h"

namespace ropewalk::tools {

// What a bug is, how it and its correct counterpart are run, and what must come of it. A kind of bugs is a function
// that makes these from the kind's own data, in a file of its own; bugs.cpp lists the kinds.
struct AtlasBug {
  int row = 0;                       // the bug's number in the field's list
  std::string title;                 // the bug in a few words
  std::vector<std::string> related;  // threads "fla-org/flash-linear-attention#180", or sources "OWNER/NAME:PATH"
  std::string case_text;             // what is run, as reports print it
  kernels::ExpectedFinding found;
  std::string source;  // the file whose line found.line is; empty: none
  std::string faulty;  // names, for sentences
  std::string counterpart;
  std::function<CaseResult()> run_faulty;
  std::function<std::optional<CaseResult>()>
      run_counterpart;  // nullopt: the counterpart rejects the case, as it should
};

// What came of a case that no executor runs, as the result of one that made this check. Without a replay, the findings
// show in the atlas alone.
CaseResult result_of(Answer answer, const char* check, const std::string& case_text, const std::string& replay,
                     const Stopwatch& watch);

// The bugs of each kind; of kernels, those of the program that was called. They refer to `request` when they are run.
std::vector<AtlasBug> kernel_bugs(const Request& request);
std::vector<AtlasBug> cache_bugs(const Request& request);
std::vector<AtlasBug> plan_bugs(const Request& request);
std::vector<AtlasBug> device_bugs(const Request& request);
std::vector<AtlasBug> compat_bugs(const Request& request);

// The bugs of all kinds in the order of their rows; of these rows alone where there are any ("7" is row 7). Throws
// InputError that lists the rows where there is none of a number.
std::vector<AtlasBug> atlas_bugs(const std::vector<std::string>& rows, const Request& request);

}  // namespace ropewalk::tools
