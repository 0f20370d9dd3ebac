#include "lib/machine/missing_order.h"

#include <algorithm>

namespace ropewalk::machine {

namespace {

// What has an order of its own, by its phases.
bool is_of_mbarrier(const MemoryStep& memory) {
  return memory.is_phase_test || memory.operation == AtomicOperation::Arrive ||
         memory.operation == AtomicOperation::ArriveAndDrop;
}

// A step and the bit that it is to be taken for. Whoever does not look at what an atomic gives waits for nobody.
std::vector<MissingStep> steps_to_try(const Code& code, const Occurrence& race) {
  std::vector<MissingStep> out;
  const bool leaves_block = is_across_blocks(race);
  for (u32 s = 0; s < code.steps.size(); ++s) {
    const Step& step = code.steps[s];
    if (step.kind == StepKind::Fence && leaves_block && Scope(step.immediate) == Scope::Block)
      out.push_back({s, assumed_device});
    const bool is_access = step.kind == StepKind::Load || step.kind == StepKind::Store || step.kind == StepKind::Atomic;
    if (!is_access || !step.memory->is_strong() || is_of_mbarrier(*step.memory)) continue;
    const bool is_atomic = step.kind == StepKind::Atomic;
    const bool reads = step.kind == StepKind::Load || (is_atomic && step.d != no_value && code.is_read[step.d]);
    if (step.kind != StepKind::Load && !releases(step.memory->strength)) out.push_back({s, assumed_release});
    if (reads && !acquires(step.memory->strength)) out.push_back({s, assumed_acquire});
    if (leaves_block && step.memory->scope == Scope::Block) out.push_back({s, assumed_device});
  }
  // That a scope is too narrow says more than that something else would do instead.
  std::ranges::stable_partition(out, [](const MissingStep& it) { return it.is_not == assumed_device; });
  return out;
}

}  // namespace

std::vector<MissingStep> missing_order(const Code& code, const Occurrence& race, u32 most, const EndsRace& ends_race) {
  const std::vector<MissingStep> all = steps_to_try(code, race);
  std::vector<u8> assumed(code.steps.size());
  u32 tried = 0;
  const auto holds = [&](const std::vector<MissingStep>& steps) {
    if (tried++ >= most) return false;
    std::ranges::fill(assumed, u8(0));
    for (const MissingStep& it : steps) assumed[it.step] |= it.is_not;
    return ends_race(assumed, false) && ends_race(assumed, true);
  };
  for (const MissingStep& one : all) {
    if (std::vector<MissingStep> steps{one}; holds(steps)) return steps;
  }
  for (u64 i = 0; i < all.size(); ++i) {
    for (u64 j = i + 1; j < all.size(); ++j) {
      if (std::vector<MissingStep> steps{all[i], all[j]}; holds(steps)) return steps;
    }
  }
  return {};
}

bool has_race_at(const Collector& found, const Occurrence& race) {
  return std::ranges::any_of(found.found(), [&](const auto& entry) {
    const Occurrence& it = entry.second.example;
    if (it.rule != race.rule || it.window != race.window) return false;
    return std::ranges::any_of(std::array{it.step, it.other_step}, [&](u32 step) {
      return step != no_value && (step == race.step || step == race.other_step);
    });
  });
}

}  // namespace ropewalk::machine
