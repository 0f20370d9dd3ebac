#include "tests/mutants/reached.h"

#include "lib/ptx/flow.h"

namespace ropewalk::mutants {
namespace {

struct Sides {
  bool taken = true, not_taken = true;
};

// Of the block's last instruction; a block without a conditional branch leads to all of its successors.
Sides sides_of(const ptx::Module& module, const ptx::Function& function, const ptx::Block& block,
               const BranchCoverage& seen) {
  if (block.first == block.last) return {};
  const ptx::Instruction& last = function.instructions[block.last - 1];
  if (last.predicate == ptx::Instruction::no_predicate || module.opcode(last).stem != "bra") return {};
  Sides sides{false, false};
  for (const BranchCoverage::Branch& branch : seen.branches) {
    if (branch.ptx_line != last.line) continue;
    sides.taken |= branch.taken;
    sides.not_taken |= branch.not_taken;
  }
  return sides;
}

}  // namespace

std::vector<bool> reached(const ptx::Module& module, const ptx::Function& function, const BranchCoverage& seen) {
  const ptx::Flow flow = ptx::flow_of(module, function);
  std::vector<bool> executed(function.instructions.size());
  std::vector<u32> waiting{0};
  std::vector<bool> known(flow.blocks.size());
  known[0] = true;
  while (!waiting.empty()) {
    const ptx::Block& block = flow.blocks[waiting.back()];
    waiting.pop_back();
    for (u32 n = block.first; n < block.last; ++n) executed[n] = true;
    const Sides sides = sides_of(module, function, block, seen);
    for (u64 n = 0; n < block.successors.size(); ++n) {
      // The fall-through comes first where there are two.
      const bool leads = block.successors.size() < 2 || (n == 0 ? sides.not_taken : sides.taken);
      if (!leads || known[block.successors[n]]) continue;
      known[block.successors[n]] = true;
      waiting.push_back(block.successors[n]);
    }
  }
  return executed;
}

}  // namespace ropewalk::mutants
