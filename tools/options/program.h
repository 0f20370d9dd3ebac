// The two programs: they share their commands, and differ in the problems that they are about.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "lib/families/list.h"

namespace ropewalk::tools {

struct Program {
  std::string name;     // "rope-check"
  std::string purpose;  // one sentence
  // Of the kernels that it is about, "rotary"; the first is that of its options and benchmarks.
  std::vector<std::string> families;
  // What the commands `case` and `fuzz` were called in the first edition; empty: the same.
  std::string old_case, old_fuzz;

  bool is_about(const std::string& family) const { return std::ranges::find(families, family) != families.end(); }
};

// The families of lib/families/list.h that a program hosts: "rope_check".
inline std::vector<std::string> families_of(const std::string& program) {
  std::vector<std::string> out;
  const auto add = [&](std::string family, const std::string& host) {
    if (host != program) return;
    std::ranges::replace(family, '_', '-');
    out.push_back(family);
  };
#define RW_FAMILY(name, host) add(#name, #host);
  ROPEWALK_FAMILIES(RW_FAMILY)
#undef RW_FAMILY
  return out;
}

inline const Program rope_check_program{"rope-check",
                                        "Executes rotary and attention kernels on the CPU with every access checked.",
                                        families_of("rope_check"), "kernel", ""};
inline const Program attn_fuzz_program{
    "attn-fuzz", "Looks for trouble in attention and KV-cache kernels, on the CPU with every access checked.",
    families_of("attn_fuzz"), "", "run"};

}  // namespace ropewalk::tools
