// What a run of a program has to say, as one value. Every report format is a function of it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/campaign/coverage.h"
#include "lib/finding/finding.h"
#include "lib/launch/outcome.h"

namespace ropewalk::reports {

// What the whole run comes to; each has one exit code.
enum class Verdict : u8 {
  Clean,     // everything asked for was checked, and nothing found that fails the run
  Findings,  // at least one finding that fails the run
  NotRun     // something asked for could not be checked, and nothing was found
};
// "clean", "findings", "not-run".
std::string_view name_of(Verdict verdict);
std::optional<Verdict> verdict_named(std::string_view name);

struct Summary {
  u64 cases = 0;     // asked for
  u64 passed = 0;    // ran to the end, no error found
  u64 findings = 0;  // distinct ones, of every severity
  u64 not_run = 0;   // did not run, or not to the end
  Verdict verdict = Verdict::NotRun;
};

// A check that was not made, or not in every case, and why.
struct CheckLeftOut {
  std::string check;
  std::string reason;
};

// How much was looked at.
struct Coverage {
  u64 blocks = 0;                   // thread blocks that were run
  u64 blocks_total = 0;             // thread blocks of the launches; more than `blocks` where blocks were sampled
  u64 thread_instructions = 0;      // 0: not counted
  std::vector<std::string> checks;  // names of the checks that were made, in one case at least
  std::vector<CheckLeftOut> left_out;
};

// Who is to blame where a case did not run: nobody, its input, or Ropewalk.
enum class NotRunFault : u8 { None, Input, Ropewalk };

// The case_text of a program of `rope-check run` as a whole.
inline constexpr std::string_view whole_program = "the program";

// A case that did not run, or not to its end.
struct NotRunCase {
  std::string case_text;
  std::string reason;
  std::string replay;
  NotRunFault fault = NotRunFault::None;  // of this run; a report in JSON does not keep it
};

// What a device's own records tell of a case's launch.
struct CaseOnDevice {
  std::string case_text;
  DeviceRun run;
};

// Lines of source files that findings name, with their neighbours: by file as the PTX names it, then by line (1-based).
using SourceExcerpts = std::map<std::string, std::map<u64, std::string>>;

struct Report {
  std::string tool;     // "rope-check"
  std::string version;  // of the suite
  std::string command;  // the command line, as it can be given again
  u64 seed = 0;
  std::string executor;
  bool strict = false;  // warnings fail the run
  double duration_s = 0;
  Summary summary;
  Coverage coverage;
  std::optional<campaign::Record> campaign;  // of commands that run campaigns
  std::vector<Finding> findings;
  std::vector<NotRunCase> not_run;
  std::vector<std::string> notes;         // remarks about the run itself
  std::vector<std::string> printed;       // what kernels printed, in block order
  std::vector<CaseOnDevice> device_runs;  // of the gpu executor, where ROPEWALK_CUDA_ACTIVITY asks for them
  SourceExcerpts sources;
  std::vector<std::string> merged;  // digests of the reports that were merged into this one
};

// Waived findings are counted apart, whatever their severity.
struct SeverityCounts {
  u64 errors = 0, warnings = 0, notes = 0;
  u64 known = 0;       // waived by a baseline
  u64 suppressed = 0;  // waived by a suppression
};
SeverityCounts count_severities(const std::vector<Finding>& findings);

// Whether a finding fails the run: an error that is not waived, with strict a warning too.
bool fails(const Finding& finding, bool strict);

// Whether cases ran and no check was made of them, as `--checks none` asks.
bool ran_unchecked(const Report& report);

// Fills in the counts of findings and of cases not run, and the verdict; `cases` and `passed` are the caller's.
// strict: warnings fail the run too.
void conclude(Report& report, bool strict);

}  // namespace ropewalk::reports
