// The two programs: they share their commands, and differ in the problems that they are about.
#pragma once
#include <string>

namespace ropewalk {

struct Program {
  std::string name;          // "rope-check"
  std::string purpose;       // one sentence
  std::string problem_kind;  // "rotary"
  // What the commands `case` and `fuzz` were called in the first edition; empty: the same.
  std::string old_case, old_fuzz;
};

inline const Program rope_check_program{"rope-check",
                                        "Executes rotary and attention kernels on the CPU with every access checked.",
                                        "rotary", "kernel", ""};
inline const Program attn_fuzz_program{"attn-fuzz",
                                       "Looks for trouble in attention kernels, on the CPU with every access checked.",
                                       "attention", "", "run"};

}  // namespace ropewalk
