// The mutants that no case of a campaign finds, each with the argument why that is right. The file's form:
//
//   {"schema": "ropewalk.argued-mutants/1",
//    "mutants": [{"entries": "rotary_apply_*", "rule": "half-element", "source": "kernels/rotary/row.cuh",
//                 "line": "return a.cu_seqlens[*", "instruction": "shl.b64 *", "what": "*", "argument": "...",
//                 "unreached": true}]}
//
// A line of a source is named by what stands there, so that it is found wherever it moves. Patterns take '*' and '?';
// "source", "line", "instruction" and "what" may be absent. "unreached": no case executes the instruction,
// which is compared with what the cases show; without it some case must, or the argument is about nothing.
#pragma once
#include <string>
#include <vector>

#include "tests/mutants/mutant.h"

namespace ropewalk::mutants {

struct Argued {
  std::string entries, rule, source = "*", line = "*", instruction = "*", what = "*";  // patterns
  std::string argument;
  bool unreached = false;

  bool fits(const Mutant& mutant) const;
  // For messages: "row.cuh:18 half-element shl.b64 *".
  std::string name() const;
};

// Throws InputError for a file that is not so.
std::vector<Argued> read_argued(const std::string& path);

}  // namespace ropewalk::mutants
