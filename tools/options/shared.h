// The options that all checking commands share.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/source_paths.h"
#include "lib/base/types.h"
#include "lib/finding/check.h"
#include "lib/gpu/guards.h"
#include "tools/options/program.h"

namespace ropewalk::tools {

// How much to do: seconds ("30s", "5m") or a number of cases ("2000").
struct Budget {
  std::optional<double> seconds;
  std::optional<u64> cases;
};

enum class ColorChoice : u8 { Auto, Always, Never };
enum class ExecutorChoice : u8 { Machine, Instrumented, Gpu };

struct SharedOptions {
  const Program* program = &rope_check_program;  // that was called
  Budget budget;
  std::optional<u64> seed;  // of inputs and of sampled blocks; 1 where neither the option nor the problem says
  u32 jobs = 0;             // worker threads; 0: one a core
  ExecutorChoice executor = ExecutorChoice::Machine;
  gpu::Guards guards = gpu::Guards::End;  // of tensors on a device
  CheckSet checks = CheckSet::all();
  std::vector<std::string> reports;  // files to write
  std::string format;                // of all of them; empty: by suffix; without files of what is printed
  std::string baseline;              // report whose findings are known; empty: none
  std::string suppressions;          // file of findings that do not fail the run; empty: none
  bool strict = false;               // warnings fail, and two writes of the same value are a race
  bool quiet = false;                // only the verdict on the terminal
  std::optional<u64> max_findings;   // that are reported in full on the terminal; none: one of each cause
  std::string root;  // folder that paths of sources are reported relative to; empty: they are reported as they are
  bool root_given = false;     // by --root
  SourcePaths::Prefixes maps;  // of paths of sources
  ColorChoice color = ColorChoice::Auto;
  bool fp_contract = false;  // fuse mul and add without rounding modifier, as ptxas may
  u64 block_order = 0;       // not 0: blocks run in an order drawn from this seed
  u64 schedule = 0;          // not 0: where threads synchronise, who is next is drawn from this seed
};

}  // namespace ropewalk::tools
