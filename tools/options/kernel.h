// Options of `rope-check case`: one problem for one of our kernels.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::tools {

// A field of the problem as an option gave it: `--rotary-dim 32` is {"--rotary-dim", "rotary_dim", "32"}.
struct ProblemField {
  std::string flag;
  std::string key;
  std::string value;
};

struct KernelOptions {
  std::string name = "rotary/apply";  // of the kernel; empty: the first of the problem's kind
  std::string problem;                // text of a problem; empty: the kernel's own default
  std::vector<ProblemField> fields;   // set over the problem's, in the order of the command line
  u64 blocks = 0;                     // run so many of the blocks: the first, the last and a seeded choice; 0: all
};

}  // namespace ropewalk::tools
