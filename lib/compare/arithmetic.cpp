#include "lib/compare/arithmetic.h"

#include <algorithm>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::compare {

bool uses_tensor_cores(const Launch& launch) {
  const auto& opcodes = launch.module->opcodes;
  return std::any_of(opcodes.begin(), opcodes.end(), [](const ptx::Opcode& one) { return one.op == "mma"_op; });
}

}  // namespace ropewalk::compare
