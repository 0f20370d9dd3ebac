#include "lib/machine/decode/address_flow.h"

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;

// Whether one of the operands of a mask is a constant for which `holds`.
template <class Holds>
bool masks_with(const Code& code, const Step& step, Holds holds) {
  if (step.flow.kind != Flow::Logic || step.flow.table != BitFlow::table_of_and || step.e != no_value) return false;
  for (const u32 operand : {step.a, step.b}) {
    const u32 constant = code.constant_of[operand];
    if (constant != no_value && holds(code.values[constant].constant)) return true;
  }
  return false;
}

// Whether a result may be wrong because an operand wrapped.
bool keeps_wraps(const Code& code, const Step& step) {
  const bool is_wide = code.values[step.d].size == 8;
  if (step.calculation != ptx::Calculation::None || step.is_move) return true;
  switch (step.flow.kind) {
    case Flow::Select:
    case Flow::SelectSign:
    case Flow::Least:
    case Flow::Greatest:
      return true;
    case Flow::Logic:
      if (is_wide) return !masks_with(code, step, [](u64 mask) { return mask >> 32 == 0; });
      // Of a mask that is negative the sign, and with it all that is above it, is kept.
      return step.flow.table != BitFlow::table_of_and ||
             masks_with(code, step, [](u64 mask) { return i32(u32(mask)) < 0; });
    case Flow::Moved:
      return is_wide && (step.b == no_value || step.flow.is_left_shift || step.flow.moved != 1);
    case Flow::Sum:
    case Flow::Difference:
    case Flow::Product:
    case Flow::SumOfProduct:
      return is_wide;
    default:
      return false;
  }
}

// Whether an access may be one to shared or local memory.
bool may_be_of_block(const MemoryStep& memory) {
  return memory.space == MemorySpace::Shared || memory.space == MemorySpace::Local ||
         memory.space == MemorySpace::Generic;
}

// Whether a store may leave there what a load finds, as the number that it is.
bool may_meet(const MemoryStep& store, const MemoryStep& load) {
  const bool in_one_space =
      store.space == load.space || store.space == MemorySpace::Generic || load.space == MemorySpace::Generic;
  if (!in_one_space || !may_be_of_block(store) || store.element_bytes != load.element_bytes || load.element_bytes < 4)
    return false;
  return store.space != MemorySpace::Shared || load.space != MemorySpace::Shared ||
         (store.first_byte < load.last_byte && load.first_byte < store.last_byte);
}

}  // namespace

void mark_address_arithmetic(Code& code) {
  // Backwards from the addresses, over the steps that define a value.
  std::vector<std::vector<u32>> definitions(code.values.size());
  std::vector<const MemoryStep*> stores;
  for (u32 s = 0; s < code.steps.size(); ++s) {
    const Step& step = code.steps[s];
    if ((step.kind == StepKind::Compute || step.kind == StepKind::Shuffle) && step.d != no_value)
      definitions[step.d].push_back(s);
    if (step.kind == StepKind::Store) stores.push_back(step.memory.get());
    if (step.kind != StepKind::Load || !may_be_of_block(*step.memory)) continue;
    for (const u32 value : step.memory->values) {
      if (value != no_value) definitions[value].push_back(s);
    }
  }
  std::vector<bool> seen(code.values.size(), false);
  std::vector<u32> open;
  const auto visit = [&](u32 value) {
    if (value == no_value || seen[value]) return;
    seen[value] = true;
    open.push_back(value);
  };
  for (const Step& step : code.steps) {
    if (!step.memory) continue;
    for (const u32 address : {step.memory->address, step.memory->source_address}) {
      if (address != no_value && code.values[address].size == 8) visit(address);  // others wrap in their own memory
    }
  }
  while (!open.empty()) {
    const u32 value = open.back();
    open.pop_back();
    for (const u32 s : definitions[value]) {
      Step& step = code.steps[s];
      if (step.kind == StepKind::Shuffle) {
        visit(step.inputs[0]);
        continue;
      }
      if (step.kind == StepKind::Load) {
        for (const MemoryStep* store : stores) {
          if (!may_meet(*store, *step.memory)) continue;
          for (const u32 stored : store->values) visit(stored);
        }
        continue;
      }
      if (!keeps_wraps(code, step)) continue;
      if (step.calculation != ptx::Calculation::None && step.calculation != ptx::Calculation::Extend)
        step.overflow_matters = true;
      for (const u32 input : {step.a, step.b, step.c, step.e}) {
        if (input != no_value && !code.values[input].is_predicate) visit(input);
      }
    }
  }
}

}  // namespace ropewalk::machine
