#include "lib/machine/reach.h"

#include <algorithm>
#include <ranges>

#include "lib/launch/values.h"
#include "lib/machine/decode/grid_addresses.h"
#include "lib/machine/decode/local_pointers.h"
#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

bool Reached::add(const ptx::Origin& origin) {
  if (origin.parameter == ptx::Origin::unknown && origin.variable >= 0)
    return add_variable(launch_.module->variables[u32(origin.variable)].name);
  const bool had_any = any_;
  bool is_new = false;
  const bool is_known = origin.parameter >= 0;
  const i32 parameter = is_known ? origin.parameter : origin.within;
  if (parameter < 0 || u32(parameter) >= launch_.arguments.size()) {
    any_ = true;
    return !had_any;
  }
  const Argument& argument = launch_.arguments[u32(parameter)];
  const bool is_packed = is_known && std::holds_alternative<StructArgument>(argument);
  for_tensors(argument, [&](const TensorArgument& tensor, u64 byte) {
    if (is_packed && i64(byte) != origin.offset) return;
    is_new |= !tensors_[tensor.tensor];
    tensors_[tensor.tensor] = true;
  });
  return is_new;
}

bool Reached::add_variable(const std::string& name) {
  bool is_new = !variables_;
  variables_ = true;
  for (const LaunchVariable& variable : launch_.variables) {
    if (variable.name != name || variable.tensor < 0) continue;
    is_new |= !tensors_[u32(variable.tensor)];
    tensors_[u32(variable.tensor)] = true;
  }
  return is_new;
}

bool Reached::meets(const Reached& other) const {
  const auto is_empty = [](const Reached& it) {
    return !it.any_ && !it.variables_ &&
           std::none_of(it.tensors_.begin(), it.tensors_.end(), [](bool has) { return has; });
  };
  if (is_empty(*this) || is_empty(other)) return false;
  if (any_ || other.any_ || (variables_ && other.variables_)) return true;
  for (std::size_t n = 0; n < tensors_.size(); ++n) {
    if (tensors_[n] && other.tensors_[n]) return true;
  }
  return false;
}

namespace {

// body(step) for every step of a block of the code from one on; true where it was true for one.
template <class Body>
bool any_step(const Code& code, u32 block, u32 from, Body body) {
  const ptx::Block& range = code.flow.blocks[block];
  if (range.first == range.last) return false;
  for (u32 s = std::max(from, code.first_step[range.first]); s < code.first_step[range.last]; ++s) {
    if (body(s)) return true;
  }
  return false;
}

// The loads of a block of which a store of it makes what it stores, in registers.
std::vector<u32> loads_stored_by(const Code& code, u32 store) {
  const MemoryStep& memory = *code.steps[store].memory;
  std::vector<bool> needed(code.values.size() + 1);
  const auto need = [&](u32 value) { needed[value == no_value ? code.values.size() : value] = true; };
  std::for_each_n(memory.values, memory.count, need);
  std::vector<u32> out;
  const ptx::Block& block = code.flow.blocks[code.flow.block_of[code.steps[store].instruction]];
  for (u32 s = store; s-- > code.first_step[block.first];) {
    const Step& step = code.steps[s];
    bool is_needed = false;
    for_writes(step, [&](u32 value) { is_needed = is_needed || needed[value]; });
    if (!is_needed) continue;
    if (step.kind == StepKind::Load)
      out.push_back(s);
    else
      for_reads(step, need);
  }
  return out;
}

}  // namespace

ReadBehind::ReadBehind(const Launch& launch, const Code& code)
    : launch_(launch), code_(code), local_(local_pointers(code)) {
  for (u32 s = 0; s < code.steps.size(); ++s) {
    if (code.steps[s].kind != StepKind::Store) continue;
    for (const u32 load : loads_stored_by(code, s)) stored_again_.emplace(load, s);
  }
}

Reached ReadBehind::reached_by(u32 step) const {
  Reached out(launch_);
  out.add(code_.origins[code_.steps[step].instruction]);
  return out;
}

// Whether it reads global memory, and no more than reads it.
bool ReadBehind::loads_global(const Step& step) const {
  if (step.kind == StepKind::AsyncCopy) return true;
  if (step.kind != StepKind::Load) return false;
  const MemoryStep& memory = *step.memory;
  if (memory.space == MemorySpace::Generic) return memory.address == no_value || !local_[memory.address];
  return memory.space == MemorySpace::Global;
}

bool ReadBehind::operator()(u32 store) const {
  const Reached stored = reached_by(store);
  const auto reads = [&](u32 s) {
    if (!loads_global(code_.steps[s]) || !reached_by(s).meets(stored)) return false;
    const auto [first, last] = stored_again_.equal_range(s);
    return std::none_of(first, last, [&](const auto& it) { return reached_by(it.second).meets(stored); });
  };
  // Others may wait for it wherever they are.
  if (code_.needs_order) return std::ranges::any_of(std::views::iota(u32(0), u32(code_.steps.size())), reads);
  const u32 start = code_.flow.block_of[code_.steps[store].instruction];
  if (any_step(code_, start, store + 1, reads)) return true;
  std::vector<bool> seen(code_.flow.blocks.size());
  std::vector<u32> open = code_.flow.blocks[start].successors;
  while (!open.empty()) {
    const u32 block = open.back();
    open.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    if (any_step(code_, block, 0, reads)) return true;
    const std::vector<u32>& next = code_.flow.blocks[block].successors;
    open.insert(open.end(), next.begin(), next.end());
  }
  return false;
}

ReachedBy reached_by(const Launch& launch, const Code& code) {
  ReachedBy out{Reached(launch), Reached(launch), Reached(launch)};
  const GridAddresses grid(code);
  for (const Step& step : code.steps) {
    const bool reads = step.kind == StepKind::Load || step.kind == StepKind::Atomic || step.kind == StepKind::AsyncCopy;
    const bool writes = step.kind == StepKind::Store || step.kind == StepKind::Atomic;
    if (!reads && !writes) continue;
    const MemorySpace space = step.kind == StepKind::AsyncCopy ? MemorySpace::Global : step.memory->space;
    if (space != MemorySpace::Global && space != MemorySpace::Generic) continue;
    if (step.kind != StepKind::AsyncCopy && grid.has(step.memory->address)) continue;
    const ptx::Origin& origin = code.origins[step.instruction];
    if (reads && !writes) out.loads.add(origin);
    if (writes) out.stores.add(origin);
    if (reads && (writes || step.memory->is_strong())) out.strong_loads.add(origin);
  }
  return out;
}

std::vector<bool> needs_no_order(const Launch& launch, const Code& code, bool shared_by_barriers) {
  const Reached stored = reached_by(launch, code).stores;
  std::vector<bool> out(code.steps.size());
  for (u32 s = 0; s < code.steps.size(); ++s) {
    const Step& step = code.steps[s];
    if (!step.memory || step.memory->is_strong()) continue;
    const MemorySpace space = step.memory->space;
    Reached loaded(launch);
    loaded.add(code.origins[step.instruction]);
    const bool is_constant = space == MemorySpace::Constant || (space == MemorySpace::Global && !loaded.meets(stored));
    const bool is_plain_shared = shared_by_barriers && space == MemorySpace::Shared;
    out[s] = space == MemorySpace::Local || is_plain_shared || (step.kind == StepKind::Load && is_constant);
  }
  return out;
}

std::vector<u8> widest_stored(const Launch& launch, const Code& code) {
  std::vector<u8> out(launch.tensors.size());
  for (const u8 width : {1, 2, 4, 8}) {
    Reached reached(launch);
    bool some = false;
    for (const Step& step : code.steps) {
      if ((step.kind != StepKind::Store && step.kind != StepKind::Atomic) || step.memory->element_bytes != width)
        continue;
      const MemorySpace space = step.memory->space;
      if (space != MemorySpace::Global && space != MemorySpace::Generic) continue;
      reached.add(code.origins[step.instruction]);
      some = true;
    }
    for (u32 n = 0; n < out.size(); ++n) {
      const bool is_variable = some && std::ranges::find(launch.variables, i32(n), &LaunchVariable::tensor) !=
                                           launch.variables.end();  // these are reached by name
      if (is_variable || reached.has(i32(n))) out[n] = width;
    }
  }
  return out;
}

}  // namespace ropewalk::machine
