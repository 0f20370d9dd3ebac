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

// Whether an instruction puts the copies before it into a group, or calls something that may.
bool may_commit(const Module& module, const Function& function, const Instruction& instruction) {
  const std::string& name = module.opcode(instruction).text;
  if (name == "cp.async.commit_group" || name == "cp.async.wait_all" || name.starts_with("cp.async.mbarrier"))
    return true;
  std::vector<const Function*> called;
  add_called(called, module, function, instruction);
  return !called.empty();
}

}  // namespace

bool is_copy_wait(const Module& module, const Instruction& instruction) {
  return module.opcode(instruction).text.starts_with("cp.async.wait");
}

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

const Instruction* instruction_at(const Function& function, u64 line) {
  const auto at = std::ranges::find(function.instructions, line, &Instruction::line);
  return at == function.instructions.end() ? nullptr : &*at;
}

Ways ways_between(const Module& module, const Function& function, u64 from, u64 to) {
  const Instruction *const first = instruction_at(function, from), *const last = instruction_at(function, to);
  if (!first || !last) return {};
  const auto number_of = [&](const Instruction* it) { return u32(it - function.instructions.data()); };
  const ptx::Flow flow = ptx::flow_of(module, function);
  std::vector<bool> may_be(function.instructions.size(), false);
  may_be[number_of(first)] = true;
  std::vector<bool> is_one = may_be;
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    const Instruction& instruction = function.instructions[n];
    if (may_come_to_barrier(module, function, instruction)) may_be[n] = true;
    if (is_barrier(module, instruction) && instruction.predicate == Instruction::no_predicate) is_one[n] = true;
  }
  const auto leads_past = [&](const std::vector<bool>& closed) {
    return bool(ptx::reached(flow, {number_of(first)}, closed)[number_of(last)]);
  };
  return {leads_past(may_be), leads_past(is_one)};
}

CopyGroup group_of_copy(const Module& module, const Function& function, u64 copy, u64 access) {
  const Instruction *const first = instruction_at(function, copy), *const last = instruction_at(function, access);
  if (!first || !last) return {};
  const u32 start = u32(first - function.instructions.data()), end = u32(last - function.instructions.data());
  const ptx::Flow flow = ptx::flow_of(module, function);
  std::vector<bool> closed(function.instructions.size(), false);
  closed[start] = true;
  const std::vector<bool> behind = ptx::reached(flow, {start}, closed);
  CopyGroup out;
  out.is_none = behind[end];
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    const Instruction& it = function.instructions[n];
    const bool waits = module.opcode(it).text == "cp.async.wait_group", commits = may_commit(module, function, it);
    if (!behind[n] || (!waits && !commits) || !ptx::reached(flow, {n}, closed)[end]) continue;
    if (waits) out.wait = &it;
    if (commits) out.is_none = false;
  }
  return out;
}

}  // namespace ropewalk::diagnose
