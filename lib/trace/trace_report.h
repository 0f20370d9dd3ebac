// What a traced run comes to, as one value.
#pragma once
#include <string>
#include <vector>

#include "lib/trace/arguments.h"
#include "lib/trace/find_ptx.h"
#include "lib/trace/run_traced.h"
#include "lib/trace/suspects.h"

namespace ropewalk::trace {

struct JudgedLaunch {
  TracedLaunch traced;
  TracedStream stream;
  std::string state;                // "failed", "suspect", "complete", "unknown", "refused", "captured"
  std::vector<ArgumentWord> words;  // of launches that are reported in full: the suspects
  std::vector<u64> freed_after;     // by word: the launch that it was given back after; 0: before the first
  std::string ptx_from;             // of suspects
};

struct JudgedError {
  Snapshot snapshot;
  Suspects suspects;
  std::vector<JudgedLaunch> launches;  // all that were kept
  u64 noticed_after = 0;               // the last launch before the call that noticed
  std::string launch_file;             // where it was captured; empty: it was not
  std::string not_captured;            // why not, where that was asked for
  std::vector<std::string> notes;      // of the capture
};

struct JudgedProcess {
  TracedProcess record;             // without its snapshots
  std::vector<JudgedError> errors;  // in the order of their calls; code 0: a launch that was asked for
};

struct TraceReport {
  std::string version, command;  // of the suite; the command line
  std::vector<std::string> traced;
  ProgramEnd end;
  double duration_s = 0;
  std::string not_run;  // why nothing is known; empty: something is
  std::vector<JudgedProcess> processes;

  bool has_errors() const;
};

// What the judging takes beside the records.
struct JudgeOptions {
  std::string records;           // the folder
  std::vector<std::string> ptx;  // folders with PTX
  std::string capture;           // folder for the launch file; empty: none is written
};

// Reads every record and says of each error which launch it is about; writes the launch file of the first that can be
// captured. Throws InputError where a record cannot be read or a file not be written.
std::vector<JudgedProcess> judge(const JudgeOptions& options);

}  // namespace ropewalk::trace
