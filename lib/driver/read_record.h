// What processes with a virtual GPU left behind (record.h says how it is written).
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/finding.h"

namespace ropewalk::driver {

struct ProcessRecord {
  struct NotRun {
    std::string name, reason;
  };
  struct Unsupported {
    std::string function, caller;
  };

  struct Failed {
    std::string function, error, caller;
  };

  int process = 0;
  std::string command;
  std::vector<Finding> findings;  // each once, with the number of launches that it was found in
  std::vector<NotRun> not_run;
  std::vector<Unsupported> unsupported;
  std::vector<Failed> failed;  // calls that answered an error
  std::vector<std::string> notes;
  // All launches, those of them that ran without checks, and those in which an error was found.
  u64 launches = 0, unchecked = 0, failed_launches = 0;
  u64 blocks = 0, blocks_total = 0;
  u64 host_operations = 0;  // copies, fills and frees that were checked
  bool has_ended = false;   // the process wrote its end
  bool is_cut = false;      // the last line is not whole
};

// Reads what there is, also where the last line is cut. Throws InputError where another line is no record.
ProcessRecord read_record(std::string_view text, const std::string& path);

// Those of a folder, by the numbers of their processes.
std::vector<ProcessRecord> read_records(const std::string& folder);

}  // namespace ropewalk::driver
