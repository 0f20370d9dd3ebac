#include "lib/machine/decode/uniformity.h"

#include "lib/machine/context.h"
#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

using ptx::Special;

bool is_uniform_special(Special special, const std::vector<bool>& thread_index, u32 warps) {
  switch (special) {
    case Special::TidX:
      return thread_index[0];
    case Special::TidY:
      return thread_index[1];
    case Special::TidZ:
      return thread_index[2];
    case Special::Laneid:
    case Special::LanemaskEq:
    case Special::LanemaskLe:
    case Special::LanemaskLt:
    case Special::LanemaskGe:
    case Special::LanemaskGt:
      return false;
    case Special::Warpid:
      return warps == 1;
    default:
      return true;
  }
}

// Whether a step can be computed once where its operands are uniform. `address` tells of loads.
bool can_be_uniform(const Step& step) {
  if (step.kind == StepKind::Compute) return step.uniform != nullptr;
  if (step.kind != StepKind::Load) return false;
  const MemoryStep& memory = *step.memory;
  return memory.space == MemorySpace::Parameter || memory.space == MemorySpace::Global ||
         memory.space == MemorySpace::Constant;
}

class Analysis {
 public:
  Analysis(const Code& code, std::vector<bool> constants) : code_(code), fixed_(std::move(constants)) {
    count_definitions();
    find_invariant();
  }

  std::vector<bool> run() {
    uniform_.assign(code_.values.size(), true);
    for (u32 i = 0; i < code_.values.size(); ++i) {
      const auto source = code_.values[i].source;
      if (source == Value::Source::Constant || source == Value::Source::Special)
        uniform_[i] = fixed_[i];
      else
        uniform_[i] = definitions_[i] > 0;
    }
    // Start from "everything is uniform" and take back until nothing changes.
    for (bool changed = true; changed;) {
      mark_divergent_blocks();
      changed = take_back();
    }
    return uniform_;
  }

 private:
  void count_definitions() {
    definitions_.assign(code_.values.size(), 0);
    for (const Step& step : code_.steps) for_writes(step, [&](u32 value) { ++definitions_[value]; });
  }

  bool is_fixed(u32 value) const {
    const auto source = code_.values[value].source;
    return source == Value::Source::Constant || source == Value::Source::Special ? fixed_[value] : invariant_[value];
  }

  // Values that are the same whenever they are computed in a block: written once, from others of the kind. They are
  // uniform wherever they are computed.
  void find_invariant() {
    invariant_.assign(code_.values.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : code_.steps) {
        const bool parameter = step.kind == StepKind::Load && step.memory->space == MemorySpace::Parameter;
        if (!(step.kind == StepKind::Compute && step.pure && step.uniform) && !parameter) continue;
        bool fixed = true;
        for (const u32 value : {step.a, step.b, step.c, step.e}) fixed &= value == no_value || is_fixed(value);
        if (parameter && step.memory->address != no_value) fixed &= is_fixed(step.memory->address);
        if (step.predicate != no_value) fixed &= is_fixed(step.predicate);
        if (!fixed) continue;
        for_writes(step, [&](u32 value) {
          if (definitions_[value] != 1 || invariant_[value]) return;
          invariant_[value] = true;
          changed = true;
        });
      }
    }
  }

  // Lanes that have left compute nothing: what the others compute together stays uniform.
  // Blocks between a branch that may split the lanes and the point where they meet again.
  void mark_divergent_blocks() {
    const ptx::Flow& flow = code_.flow;
    divergent_.assign(flow.blocks.size(), false);
    std::vector<u32> open;
    std::vector<u32> seen(flow.blocks.size(), 0);
    u32 round = 0;
    for (const Step& step : code_.steps) {
      const bool splits = (step.kind == StepKind::Branch && step.predicate != no_value && !uniform_[step.predicate]) ||
                          (step.kind == StepKind::BranchTable && !uniform_[step.a]);
      if (!splits) continue;
      const u32 from = flow.block_of[step.instruction], meet = flow.post_dominator[from];
      ++round;
      open.assign(flow.blocks[from].successors.begin(), flow.blocks[from].successors.end());
      while (!open.empty()) {
        const u32 block = open.back();
        open.pop_back();
        if (block == meet || seen[block] == round) continue;
        seen[block] = round;
        divergent_[block] = true;
        for (const u32 next : flow.blocks[block].successors) open.push_back(next);
      }
    }
  }

  bool take_back() {
    bool changed = false;
    for (const Step& step : code_.steps) {
      bool ok = can_be_uniform(step) && !divergent_[code_.flow.block_of[step.instruction]];
      if (step.predicate != no_value) ok &= uniform_[step.predicate];
      for (const u32 value : {step.a, step.b, step.c, step.e}) ok &= value == no_value || uniform_[value];
      if (step.memory && step.memory->address != no_value) ok &= uniform_[step.memory->address];
      for_writes(step, [&](u32 value) {
        if (!uniform_[value] || ok || invariant_[value]) return;
        uniform_[value] = false;
        changed = true;
      });
    }
    return changed;
  }

  const Code& code_;
  std::vector<bool> fixed_;
  std::vector<u32> definitions_;
  std::vector<bool> invariant_, uniform_, divergent_;
};

}  // namespace

std::vector<bool> uniform_thread_indices(const Dim3& block, u32 warps) {
  const u64 lanes = u64(warps) * lanes_per_warp;
  const u64 plane = u64(block.x) * block.y;
  return {block.x == 1, block.y == 1 || block.x % lanes == 0, block.z == 1 || plane % lanes == 0};
}

std::vector<bool> constant_values(const Code& code, const Dim3& block, u32 warps) {
  const std::vector<bool> thread_index = uniform_thread_indices(block, warps);
  std::vector<bool> out(code.values.size(), false);
  for (u32 i = 0; i < code.values.size(); ++i) {
    const Value& value = code.values[i];
    if (value.source == Value::Source::Constant) out[i] = true;
    if (value.source == Value::Source::Special) out[i] = is_uniform_special(value.special, thread_index, warps);
  }
  return out;
}

std::vector<bool> uniform_values(const Code& code, const Dim3& block, u32 warps) {
  return Analysis(code, constant_values(code, block, warps)).run();
}

}  // namespace ropewalk::machine
