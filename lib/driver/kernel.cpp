#include "lib/driver/kernel.h"

#include <algorithm>
#include <set>

#include "lib/base/demangle.h"
#include "lib/launch/accessed_types.h"
#include "lib/ptx/calls.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/provenance.h"

namespace ropewalk::driver {

namespace {

// As lib/machine/decode lays them out: each at its alignment.
std::vector<Kernel::Parameter> layout_of(const ptx::Function& entry, u32& bytes) {
  std::vector<Kernel::Parameter> out;
  u64 at = 0;
  for (u32 n = 0; n < entry.parameter_count; ++n) {
    const ptx::Variable& parameter = entry.parameter(n);
    const u64 alignment = std::max<u64>({1, u64(ptx::size_of(parameter.type)) * parameter.vector, parameter.alignment});
    at = (at + alignment - 1) / alignment * alignment;
    out.push_back({u32(at), u32(parameter.bytes())});
    at += parameter.bytes();
  }
  bytes = u32(at);
  return out;
}

bool names_variables(const ptx::Module& module, const ptx::Function& entry) {
  return std::ranges::any_of(entry.operands, [&](const ptx::Operand& operand) {
    if (operand.kind != ptx::Operand::Kind::Variable || operand.id >= module.variables.size()) return false;
    const ptx::Space space = module.variables[operand.id].space;
    return space == ptx::Space::Global || space == ptx::Space::Const;
  });
}

// Whether some access has an address that neither a parameter nor a variable tells.
bool has_unknown_access(const ptx::Module& module, const ptx::Function& entry) {
  const std::vector<ptx::Origin> origins = ptx::address_origins(module, entry);
  for (u32 n = 0; n < origins.size(); ++n) {
    const ptx::Opcode& opcode = module.opcode(entry.instructions[n]);
    const ptx::Access access = opcode.facts().access;
    const bool is_access = access == ptx::Access::Load || access == ptx::Access::Store ||
                           access == ptx::Access::Atomic || access == ptx::Access::Copy;
    const bool is_elsewhere = opcode.has("param") || opcode.has("shared") || opcode.has("local") ||
                              opcode.has("const") || opcode.has("shared::cta");
    if (!is_access || (is_elsewhere && !opcode.has("global"))) continue;
    if (origins[n].parameter < 0 && origins[n].variable < 0 && origins[n].within < 0) return true;
  }
  return false;
}

bool is_fence(const ptx::Opcode& opcode) {
  return opcode.op == "fence"_op || opcode.op == "membar"_op || opcode.has("acquire") || opcode.has("release") ||
         opcode.has("acq_rel");
}

}  // namespace

Kernel::Kernel(Module& module, const ptx::Module& ptx, const ptx::Function& entry)
    : module(module), entry(entry), shown_name(without_parameters(demangled(entry.name))) {
  parameters = layout_of(entry, parameter_bytes);
  accessed = accessed_types(ptx, entry);
  for (const ptx::Variable& variable : entry.variables) count(variable);
  std::set<u32> named;
  for (const ptx::Operand& operand : entry.operands) {
    const bool is_of_module = operand.kind == ptx::Operand::Kind::Variable && operand.id < ptx.variables.size();
    if (is_of_module && named.insert(operand.id).second) count(ptx.variables[operand.id]);
  }
  max_dynamic_shared_bytes -= u32(std::min<u64>(static_shared_bytes, max_dynamic_shared_bytes));
  std::vector<const ptx::Function*> all{&entry};
  const auto has = [&](auto holds) {
    return ptx::any_instruction(
        all, [&](const ptx::Function&, const ptx::Instruction& it) { return holds(ptx.opcode(it)); });
  };
  const bool has_calls = has([](const ptx::Opcode& opcode) { return opcode.op == "call"_op; });
  ptx::close_over_calls(all, ptx);
  follows_pointers = has_calls || has_unknown_access(ptx, entry) || ptx::follows_loaded_pointers(ptx, entry);
  synchronises = has(is_fence);
  may_trigger_dependents = has(
      [](const ptx::Opcode& opcode) { return opcode.op == "griddepcontrol"_op && opcode.has("launch_dependents"); });
  uses_variables = follows_pointers || names_variables(ptx, entry);
}

void Kernel::count(const ptx::Variable& variable) {
  if (variable.space == ptx::Space::Shared) static_shared_bytes += variable.bytes();
  if (variable.space == ptx::Space::Const) constant_bytes += variable.bytes();
  if (variable.space == ptx::Space::Local) local_bytes += variable.bytes();
}

}  // namespace ropewalk::driver
