// A kernel entry to code: places variables, decodes every instruction, finds what checks and tiers want to know.
#include "lib/machine/decode/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/base/error.h"
#include "lib/machine/decode/address_flow.h"
#include "lib/machine/decode/cycles.h"
#include "lib/machine/decode/decoder.h"
#include "lib/machine/decode/exchanged_values.h"
#include "lib/machine/decode/fp_contract.h"
#include "lib/machine/decode/grid_wait.h"
#include "lib/machine/decode/inline_calls.h"
#include "lib/machine/decode/live.h"
#include "lib/machine/decode/step_values.h"
#include "lib/machine/decode/struct_tails.h"
#include "lib/machine/decode/variable_bounds.h"
#include "lib/ptx/grammar.h"
#include "lib/ptx/updates.h"
#include "lib/ptx/variable_origins.h"

namespace ropewalk::machine {

namespace {

u64 align(u64 at, u64 alignment) { return (at + alignment - 1) / alignment * alignment; }

u64 alignment_of(const ptx::Variable& variable) {
  const u64 natural = u64(ptx::size_of(variable.type)) * variable.vector;
  return std::max<u64>({1, natural, variable.alignment});
}

// What no GPU has, and ptxas refuses: more parameters than a constant bank holds, more local memory than a thread can
// have (CUDA C++ Programming Guide, technical specifications per compute capability), shared memory far beyond any
// limit. Launches between the limits of their target and this are reported by limits.h.
void check_sizes(const Code& code, u64 shared, u64 local, u64 parameters) {
  const auto check = [&](const char* what, u64 bytes, u64 most) {
    if (bytes <= most) return;
    throw InputError(InputLocation{code.module->path, code.function.line, 0, {}},
                     fmt::format("{} has {} bytes of {}, expected {} at most", code.function.name, bytes, what, most));
  };
  check("parameters", parameters, 32764);
  check("local memory", local, u64(512) << 10);
  check("shared memory", shared, u64(1) << 20);
}

bool asks_for_reserved_shared(const ptx::Function& function) {
  return std::ranges::any_of(function.operands, [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::Special && ptx::Special(operand.id) >= ptx::Special::ReservedSmemBegin &&
           ptx::Special(operand.id) <= ptx::Special::ReservedSmem1;
  });
}

// Shared variables lie one behind the other, the dynamic ones (extern, without a bound) all at the end; local variables
// and the .param variables of calls form the depot; parameters follow the rules of the parameter block.
void place_variables(Code& code) {
  const auto& module = code.module->variables;
  const auto& own = code.function.variables;
  code.variable_offset.assign(module.size() + own.size(), no_value);
  const u32 parameters = code.function.return_count + code.function.parameter_count;
  code.reserved_shared_bytes = asks_for_reserved_shared(code.function) ? reserved_shared_memory : 0;
  u64 shared = code.reserved_shared_bytes, local = 0, parameter = 0, dynamic_alignment = 16;
  const auto each = [&](auto body) {
    for (u32 id = 0; id < code.variable_offset.size(); ++id) body(id, code.module->variable(code.function, id));
  };
  const std::vector<bool> is_named = ptx::variables_named_in(code.function, code.variable_offset.size());
  const auto place_local = [&](u32 id, const ptx::Variable& variable) {
    local = align(local, alignment_of(variable));
    code.variable_offset[id] = u32(local);
    local += variable.bytes();
  };
  each([&](u32 id, const ptx::Variable& variable) {
    const bool is_parameter = id >= module.size() && id - module.size() < parameters;
    if (variable.space == ptx::Space::Shared) {
      if (id < module.size() && !is_named[id]) return;  // another entry's
      if (variable.is_extern && variable.bytes() == 0) {
        dynamic_alignment = std::max(dynamic_alignment, alignment_of(variable));
        return;
      }
      shared = align(shared, alignment_of(variable));
      code.variable_offset[id] = u32(shared);
      shared += variable.bytes();
    } else if (variable.space == ptx::Space::Param && is_parameter) {
      parameter = align(parameter, alignment_of(variable));
      code.variable_offset[id] = u32(parameter);
      parameter += variable.bytes();
    } else if (variable.space == ptx::Space::Param) {
      place_local(id, variable);
    }
  });
  // After the parameters of calls: the last array ends the frame.
  each([&](u32 id, const ptx::Variable& variable) {
    if (variable.space == ptx::Space::Local) place_local(id, variable);
  });
  code.static_shared_bytes = shared - code.reserved_shared_bytes;
  check_sizes(code, code.static_shared_bytes, local, parameter);
  code.dynamic_shared_offset = u32(align(shared, dynamic_alignment));
  code.local_bytes = align(local, 4);  // local_memory.h keeps it by words
  code.parameter_bytes = parameter;
  bool has_dynamic = false;
  each([&](u32 id, const ptx::Variable& variable) {
    if (variable.space != ptx::Space::Shared || !variable.is_extern || variable.bytes() != 0) return;
    if (id >= module.size() || is_named[id]) code.variable_offset[id] = code.dynamic_shared_offset;
    has_dynamic = true;
  });
  if (!has_dynamic) code.dynamic_shared_offset = u32(shared);
}

// Compilers put what they need in a register into one: shfl's mask and clamp, for example.
std::vector<u32> constants_of(const Code& code) {
  std::vector<u32> constants(code.values.size(), no_value), written(code.values.size(), 0);
  const auto is_constant = [&](u32 value) {
    return value != no_value && code.values[value].source == Value::Source::Constant;
  };
  for (const Step& step : code.steps) {
    for_writes(step, [&](u32 value) { ++written[value]; });
    if (step.is_move && step.predicate == no_value && is_constant(step.a)) constants[step.d] = step.a;
  }
  for (u32 value = 0; value < constants.size(); ++value) {
    if (is_constant(value))
      constants[value] = value;
    else if (written[value] != 1)
      constants[value] = no_value;
  }
  return constants;
}

// Whether threads may wait for each other, or order what they do by more than barriers of the whole block.
void find_synchronisation(Code& code) {
  std::set<u32> widths;  // of atomics on global memory: those of different widths are no atomics among each other
  for (const Step& step : code.steps) {
    code.exchanges |= is_exchange(step);
    const bool is_strong = step.kind == StepKind::Atomic || (step.memory && step.memory->is_strong());
    code.synchronises_in_shared |= is_strong && step.memory->space == MemorySpace::Shared;
    switch (step.kind) {
      case StepKind::Fence:
      case StepKind::WarpBarrier:
        code.orders_shared = true;
        break;
      case StepKind::Sleep:
        code.needs_order = true;
        break;
      case StepKind::Load:
        code.needs_order |= step.memory->is_strong();
        break;
      case StepKind::Store:
        code.orders_shared |= step.memory->is_strong();
        break;
      case StepKind::Atomic:
        // One on global memory whose result nobody reads orders nothing.
        code.synchronises = true;
        code.orders_shared |= step.memory->space != MemorySpace::Global;
        if (step.memory->space != MemorySpace::Shared) widths.insert(step.memory->element_bytes);
        code.needs_order |= code.looks_at(step);
        code.needs_order |= step.memory->scope == Scope::Block && step.memory->space != MemorySpace::Shared;
        break;
      default:
        break;
    }
  }
  code.needs_order |= widths.size() > 1;
  code.orders_shared |= code.needs_order;
  code.synchronises |= code.orders_shared;
}

void mark_updates(Code& code) {
  std::vector<u32> stores;  // instructions
  for (const Step& step : code.steps) {
    if (step.kind == StepKind::Store && step.memory->is_strong()) stores.push_back(step.instruction);
  }
  for (const u32 instruction : ptx::parts_of_updates(*code.module, code.function, code.flow, stores)) {
    for (u32 s = code.first_step[instruction]; s < code.first_step[instruction + 1]; ++s) {
      if (code.steps[s].memory) code.steps[s].memory->is_update = true;
    }
  }
}

// Of accesses that name a variable as well.
std::vector<ptx::Origin> origins_of(const Code& code) {
  std::vector<ptx::Origin> origins = ptx::address_origins(*code.module, code.function);
  for (u32 i = 0; i < origins.size(); ++i) {
    const ptx::Instruction& instruction = code.function.instructions[i];
    for (u32 n = 0; n < instruction.operand_count; ++n) {
      const ptx::Operand& operand = code.function.operands[instruction.first_operand + n];
      if (operand.kind != ptx::Operand::Kind::Address || operand.count == 0) continue;
      const ptx::Operand& base = code.function.operands[operand.first];
      const bool is_of_module = base.kind == ptx::Operand::Kind::Variable && base.id < code.module->variables.size();
      if (is_of_module && code.module->variables[base.id].space == ptx::Space::Global)
        origins[i].variable = i32(base.id);
    }
  }
  return origins;
}

}  // namespace

std::shared_ptr<const Code> make_code(std::shared_ptr<const ptx::Module> module, const ptx::Function& entry,
                                      bool fp_contract, bool is_cooperative) {
  auto code = std::make_shared<Code>();
  code->is_cooperative = is_cooperative;
  code->module = std::move(module);
  ptx::check_instructions(*code->module, entry);
  code->function = inline_calls(*code->module, entry);
  code->flow = ptx::flow_of(*code->module, code->function);
  place_variables(*code);
  Decoder decoder(*code);
  const u32 count = u32(code->function.instructions.size());
  code->first_step.reserve(count + 1);
  for (u32 i = 0; i < count; ++i) {
    code->first_step.push_back(u32(code->steps.size()));
    decoder.decode(i);
  }
  code->first_step.push_back(u32(code->steps.size()));
  if (fp_contract) contract_products(*code);
  narrow_to_variables(*code);
  code->origins = origins_of(*code);
  code->constant_of = constants_of(*code);
  code->live = live_ranges(*code);
  code->cycles = cycles_of(*code);
  code->cycle_of.assign(code->flow.blocks.size(), no_value);
  for (u32 n = 0; n < code->cycles.size(); ++n) {
    for (const u32 block : code->cycles[n].blocks) code->cycle_of[block] = n;
  }
  code->is_time = values_of_time(*code);
  code->scalar_widths = scalar_widths(*code);
  mark_struct_tails(*code);
  code->is_read.assign(code->values.size(), false);
  for (const Step& step : code->steps) for_reads(step, [&](u32 value) { code->is_read[value] = true; });
  mark_address_arithmetic(*code);
  find_synchronisation(*code);
  mark_early_accesses(*code);
  mark_updates(*code);
  if (code->exchanges) code->is_exchanged = exchanged_values(*code);
  return code;
}

}  // namespace ropewalk::machine
