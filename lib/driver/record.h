// What a process leaves behind for its report: a line of JSON for each fact, written at once, so that a crash loses
// nothing.
//
//   {"process": {"pid": 1, "command": ["./program"]}}    the first line
//   {"finding": {...}}                                   as in a report
//   {"again": {"id": "0123abcd", "times": 7}}            the finding of that id was found in so many more launches: one
//                                                        line, whose numbers are overwritten
//   {"not_run": {"case": "kernel x", "reason": "..."}}   something that could not be checked
//   {"launch": {"kernel": "x", "launches": 3, "blocks": 12, "blocks_total": 12, "unchecked": 0, "failed": 1}}
//                                                        one line a kernel, whose numbers are overwritten;
//                                                        failed: launches with an error
//   {"host": {"operations": 5}}                          copies, fills and frees that were checked: one line, likewise
//   {"unsupported": {"function": "cuX", "caller": "main+0x3 (program+0x123)"}}
//   {"failed": {"function": "cudaMalloc", "error": "cudaErrorMemoryAllocation", "caller": "main (program+0x123)"}}
//   {"note": {"text": "..."}}                            a remark for the report
//   {"end": {"launches": 3}}                             the process ended by itself
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "lib/finding/finding.h"
#include "lib/launch/outcome.h"

namespace ropewalk::driver {

// Not safe for several threads: the session's mutex is held.
class Record {
 public:
  // folder: where PID.jsonl is written; "": findings are printed on the standard error stream and the rest is not.
  explicit Record(std::string folder) : folder_(std::move(folder)) {}

  void finding(Finding finding);
  void not_run(const std::string& name, const std::string& reason);
  // A launch of the kernel, and whether an error was found in it; nullptr: it was run without checks.
  void launch(const std::string& kernel, const Statistics* statistics, bool has_errors);
  // An error was found in a launch of the kernel after it had been counted.
  void launch_failed(const std::string& kernel);
  // A copy, fill or free that is checked.
  void host_operation();
  // Reported once for each function.
  void unsupported(const std::string& function, const std::string& caller);
  // A call that answered an error. Reported once for each function and error.
  void failed(const std::string& function, const std::string& error, const std::string& caller);
  // A remark for the report. Once for each key.
  void note(const std::string& text, const std::string& key);
  void end();
  // In the child of a fork: a record of its own, with nothing in it.
  void forked();
  u64 findings() const { return findings_; }
  // Whether a finding of that id was reported already.
  bool has(const std::string& id) const { return reported_.contains(id); }

 private:
  // False: there is no file to write.
  bool open_file();
  void write_at(u64 offset, const std::string& line);
  void write(const std::string& line);  // at the end
  // Over the same line with smaller numbers, of the same length. No offset: at the end, whose offset is set.
  void overwrite(std::optional<u64>& offset, const std::string& line);

  void write_launches(const std::string& kernel);

  struct Launches {
    u64 launches = 0, unchecked = 0, failed = 0, blocks = 0, blocks_total = 0;
    std::optional<u64> offset;
  };
  struct Again {
    u64 times = 0;
    std::optional<u64> offset;
  };
  std::string folder_;
  int file_ = -1;
  u64 bytes_ = 0;  // of the file
  u64 findings_ = 0, launches_ = 0, host_operations_ = 0;
  std::optional<u64> host_offset_;
  std::map<std::string, Finding> first_of_id_;
  std::map<std::string, Again> again_;  // by id
  std::set<std::string> reported_, unsupported_, not_run_, failed_, noted_;
  std::map<std::string, Launches> by_kernel_;
};

}  // namespace ropewalk::driver
