// The file of one case of a corpus:
//
//   {"schema": "ropewalk.case/1", "kernel": "rotary/apply", "problem": "rotary(...)", "blocks": 0,
//    "rule": "out-of-bounds-read", "finding": "6f1c2a9e"}
#pragma once
#include <string>
#include <string_view>

#include "lib/family/kernel.h"
#include "lib/finding/finding.h"

namespace ropewalk::campaign {

// A problem for a kernel, as the corpus keeps it.
struct SavedCase {
  std::string kernel;
  std::string problem;
  u64 blocks = 0;  // run so many of its blocks; 0: all

  bool operator==(const SavedCase&) const = default;
};

// Reads a case. Throws InputError with `path` and the field: a kernel that does not exist, a problem that is none
// of its family.
SavedCase read_case(std::string_view text, const std::string& path, const Kernels& kernels);

// The file of a case that once showed the finding.
std::string case_text(const SavedCase& kept, const Finding& finding);

}  // namespace ropewalk::campaign
