#include "lib/diagnose/kernel_waits.h"

#include <algorithm>
#include <initializer_list>

#include "lib/ptx/calls.h"
#include "lib/ptx/flow.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::diagnose {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Module;

// Whether one of the kernel's instructions begins so and has no such modifier (empty: any), or one of what it calls.
bool has(const Module& module, const Function& entry, std::initializer_list<const char*> beginnings,
         const std::string& without = "") {
  std::vector<const Function*> all{&entry};
  close_over_calls(all, module);
  return any_instruction(all, [&](const Function&, const Instruction& instruction) {
    const std::string& name = module.opcode(instruction).text;
    if (!without.empty() && name.find(without) != std::string::npos) return false;
    return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* one) { return name.starts_with(one); });
  });
}

// Whether a barrier is one of some threads alone: those of a cluster, or as many as it says. Without a number of
// threads all of the block meet there.
bool is_of_some_threads(const Module& module, const Instruction& instruction) {
  if (!is_barrier(module, instruction)) return false;
  const ptx::Opcode& opcode = module.opcode(instruction);
  if (opcode.has("red")) return false;
  return opcode.has("arrive") || opcode.has("cluster") || instruction.operand_count != 1;
}

bool has_barriers_of_some(const Module& module, const Function& entry) {
  std::vector<const Function*> all{&entry};
  close_over_calls(all, module);
  return any_instruction(
      all, [&](const Function&, const Instruction& instruction) { return is_of_some_threads(module, instruction); });
}

// The instructions that control comes to next, by instruction.
ptx::Edges edges_between_instructions(const Module& module, const Function& function) {
  const ptx::Flow flow = ptx::flow_of(module, function);
  ptx::Edges out(function.instructions.size());
  for (const ptx::Block& block : flow.blocks) {
    for (u32 n = block.first; n + 1 < block.last; ++n) out[n].push_back(n + 1);
    if (block.first == block.last) continue;
    for (const u32 next : block.successors) {
      if (next != flow.exit) out[block.last - 1].push_back(flow.blocks[next].first);
    }
  }
  return out;
}

// Whether control gets from one to the other by instructions for which `is_closed` does not hold.
template <class Closed>
bool is_reached(const ptx::Edges& edges, u32 from, u32 to, Closed is_closed) {
  std::vector<bool> seen(edges.size(), false);
  std::vector<u32> open{from};
  while (!open.empty()) {
    const u32 at = open.back();
    open.pop_back();
    for (const u32 next : edges[at]) {
      if (next == to) return true;
      if (seen[next] || next == from || is_closed(next)) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

u32 instruction_at(const Function& function, u64 line) {
  const auto at = std::find_if(function.instructions.begin(), function.instructions.end(),
                               [&](const Instruction& instruction) { return instruction.line == line; });
  return u32(at - function.instructions.begin());
}

}  // namespace

bool is_barrier(const Module& module, const Instruction& instruction) {
  const std::string& name = module.opcode(instruction).text;
  return name.starts_with("barrier.") || (name.starts_with("bar.") && !name.starts_with("bar.warp"));
}

bool may_come_to_barrier(const Module& module, const Function& function, const Instruction& instruction) {
  if (is_barrier(module, instruction)) return true;
  std::vector<const Function*> called;
  add_called(called, module, function, instruction);
  close_over_calls(called, module);
  return any_instruction(called, [&](const Function&, const Instruction& one) { return is_barrier(module, one); });
}

bool waits_at_mbarriers(const Module& module, const Function& entry) {
  return has(module, entry, {"mbarrier.test_wait", "mbarrier.try_wait"});
}

bool has_other_waits(const Module& module, const Function& entry) {
  return waits_at_mbarriers(module, entry) || has(module, entry, {"ld.acquire", "ld.relaxed"}) ||
         (has(module, entry, {"ld.volatile", "atom."}) && has(module, entry, {"membar.", "fence."})) ||
         has_barriers_of_some(module, entry);
}

bool signals_in_global(const Module& module, const Function& entry) {
  return has(module, entry, {"atom.", "ld.volatile", "st.volatile"}, ".shared");
}

Ways ways_between(const Module& module, const Function& function, u64 from, u64 to) {
  const u32 first = instruction_at(function, from), last = instruction_at(function, to);
  if (std::max(first, last) >= function.instructions.size()) return {};
  const ptx::Edges edges = edges_between_instructions(module, function);
  std::vector<bool> may_be(edges.size()), is_one(edges.size());
  for (u32 n = 0; n < edges.size(); ++n) {
    const Instruction& instruction = function.instructions[n];
    may_be[n] = may_come_to_barrier(module, function, instruction);
    is_one[n] = is_barrier(module, instruction) && instruction.predicate == Instruction::no_predicate;
  }
  return {is_reached(edges, first, last, [](u32) { return false; }),
          is_reached(edges, first, last, [&](u32 n) { return may_be[n]; }),
          is_reached(edges, first, last, [&](u32 n) { return is_one[n]; })};
}

}  // namespace ropewalk::diagnose
