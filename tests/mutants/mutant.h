// Mutants: copies of a kernel with one mistake in them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/mutants/operators.h"

namespace ropewalk::mutants {

struct Mutant {
  std::string entry;
  u32 number = 0;           // of the instruction in the entry
  std::string rule;         // the operator's name
  u32 choice = 0;           // which of the operator's changes there
  std::string what;         // "lt becomes le"
  std::string instruction;  // as it was: "setp.lt.s32 %p6, %r68, %r41"
  u32 ptx_line = 0;
  std::string source;  // "kernels/rotary/apply.cu:32"; empty where the PTX does not say
  std::string line;    // what stands there, from its first word to its last

  // "rotary_apply_half_f32_f32:208:relaxed-comparison", with ":2" for a second change at the same instruction.
  std::string name() const;
};

// All mutants of an entry, by instruction, then in the order of the operators. Sources are read below
// ROPEWALK_SOURCE_DIR.
std::vector<Mutant> mutants_of(const ptx::Module& module, const std::string& entry);

// The module with the mutant's mistake in it.
std::shared_ptr<const ptx::Module> mutate(const ptx::Module& module, const Mutant& mutant);

}  // namespace ropewalk::mutants
