// What a session of the virtual GPU is asked for.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/finding/check.h"

namespace ropewalk::driver {

// ROPEWALK_RUN names the folder that the options are read from and the records are written to.
constexpr const char* folder_variable = "ROPEWALK_RUN";
constexpr const char* options_file = "options.json";

struct Options {
  std::string target = "sm_80";
  u32 devices = 1;
  std::vector<u32> visible;  // the numbers that these have among all of the machine, in the program's order; empty: all
  CheckSet checks = CheckSet::all();
  bool strict = false;                     // two writes of the same value are a race too
  bool fp_contract = false;                // fuse mul and add without rounding modifier
  u64 block_order = 0;                     // not 0: blocks run in another order
  u64 schedule = 0;                        // not 0: draws who is next where threads synchronise
  u32 jobs = 0;                            // threads for one launch; 0: one a core
  double seconds = 60;                     // of one launch, after which it is given up
  u64 sample_blocks = 0;                   // of each launch; 0: all
  std::vector<std::string> kernels;        // patterns of the names of those that are checked; empty: all
  u64 launch_skip = 0;                     // launches of them that run without checks, before the first that is checked
  u64 launch_count = 0;                    // that are checked from there on; 0: all
  u64 memory_bytes = 0;                    // of each device; 0: the device's, and no more than this machine has
  bool faults_end_context = true;          // as on a GPU, where an access surely faults; else its kernel alone ends
  bool leaks = false;                      // memory that is not released when the process ends is a finding
  bool python_all_configurations = false;  // autotuners try all that they have
  std::string capture;                     // folder for launch files of launches with a finding; empty: none
  bool capture_all = false;                // of all launches that are checked
  std::string folder;  // of the records; empty: findings go to the standard error stream. No key of the file.

  bool has_device(int number) const { return number >= 0 && u32(number) < devices; }
  // The number among all of the machine of one that the program sees.
  u32 number_of(u32 device) const { return visible.empty() ? device : visible[device]; }
};

// Reads the file's text: {"target": "sm_90", "checks": "all,-races", ...}, every key optional. Throws InputError for
// unknown keys and values.
Options parse_options(std::string_view text, const std::string& path);
// The text that parse_options reads.
std::string text_of(const Options& options);
// Those of this process, from the folder that ROPEWALK_RUN names, or named when the library was loaded; the defaults
// where it is not set, and where the run has ended and the folder is gone.
Options options_of_process();

}  // namespace ropewalk::driver
