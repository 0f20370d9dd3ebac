#include "lib/machine/decode/remaining_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lib/base/demangle.h"
#include "lib/machine/decode/inline_calls.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

using Kind = ptx::Operand::Kind;

// The function that an alias stands for.
u32 resolved(const ptx::Module& module, u32 function) {
  for (u64 steps = 0; !module.functions[function].alias.empty() && steps < module.functions.size(); ++steps) {
    const auto named = std::ranges::find(module.functions, module.functions[function].alias, &ptx::Function::name);
    if (named == module.functions.end()) break;
    function = u32(named - module.functions.begin());
  }
  return function;
}

bool calls_itself(const ptx::Module& module, u32 function) {
  std::vector<bool> reached(module.functions.size());
  std::vector<u32> next = {function};
  while (!next.empty()) {
    const ptx::Function& at = module.functions[next.back()];
    next.pop_back();
    for (const ptx::Instruction& it : at.instructions) {
      if (module.opcode(it).op != "call"_op) continue;
      for (u32 i = 0; i < it.operand_count; ++i) {
        const ptx::Operand& operand = at.operands[it.first_operand + i];
        if (operand.kind != Kind::Function) continue;
        const u32 callee = resolved(module, operand.id);
        if (!reached[callee]) next.push_back(callee);
        reached[callee] = true;
      }
    }
  }
  return reached[function];
}

bool gives_registers(const ptx::Function& caller, const ptx::Instruction& call) {
  for (u32 i = 0; i < call.operand_count; ++i) {
    const ptx::Operand& list = caller.operands[call.first_operand + i];
    for (u32 part = 0; list.kind == Kind::Vector && part < list.count; ++part) {
      if (caller.operands[list.first + part].kind != Kind::Variable) return true;
    }
  }
  return false;
}

}  // namespace

std::string why_call_stays(const ptx::Module& module, const ptx::Function& caller, const ptx::Instruction& call,
                           u32 callee) {
  const std::string name = demangled(module.functions[callee].name);
  callee = resolved(module, callee);
  if (name == "malloc" || name == "free") return name + " is called, and kernels have no heap here";
  if (!module.functions[callee].has_body) return name + " is called, and its body is not in the module";
  if (call.predicate != ptx::Instruction::no_predicate) return name + " is called under a predicate";
  if (gives_registers(caller, call)) return name + " is called with registers, not with .param variables";
  if (calls_itself(module, callee)) return name + " calls itself";
  return fmt::format("the call of {} leads to more than {} levels of calls or {} instructions", name, most_call_depth,
                     most_inlined_instructions);
}

}  // namespace ropewalk::machine
