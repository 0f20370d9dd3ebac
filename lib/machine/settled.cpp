#include "lib/machine/settled.h"

#include "lib/machine/checks/unit.h"
#include "lib/machine/decode/step_values.h"
#include "lib/machine/reach.h"

namespace ropewalk::machine {

namespace {

// Where what a step yields goes: through registers and memory, as far as it can be known from the code alone.
class Wake {
 public:
  Wake(const Launch& launch, const Code& code)
      : launch_(launch), code_(code), stored_(launch), values_(code.values.size()) {}

  // Whether it decides anything but values.
  bool decides(const Step& from) {
    mark_results(from);
    if (from.kind == StepKind::Atomic) keep(from);
    do {
      grew_ = false;
      for (const Step& step : code_.steps) {
        if (follow(step)) return true;
      }
    } while (grew_);
    return false;
  }

 private:
  bool is_marked(u32 value) const { return value != no_value && values_[value]; }
  void mark(u32 value) {
    grew_ |= !values_[value];
    values_[value] = true;
  }
  void mark(bool& flag) {
    grew_ |= !flag;
    flag = true;
  }

  // True: the step lets a marked value decide something.
  bool follow(const Step& step) {
    bool reads = false;
    for_reads(step, [&](u32 value) { reads |= is_marked(value); });
    switch (step.kind) {
      case StepKind::Load:
      case StepKind::LoadMatrix:
        if (reads) return true;
        if (holds_marked(step, step.memory->space)) mark_results(step);
        return false;
      case StepKind::Store:
      case StepKind::StoreMatrix:
        if (is_marked(step.predicate) || is_marked(step.memory->address)) return true;
        if (reads) keep(step);
        return false;
      case StepKind::AsyncCopy:
        if (reads) return true;
        if (holds_marked(step, MemorySpace::Global)) mark(in_shared_);
        return false;
      case StepKind::Atomic:
        if (is_marked(step.predicate) || is_marked(step.memory->address)) return true;
        if (code_.looks_at(step)) return reads || holds_marked(step, step.memory->space);
        if (reads) keep(step);
        return false;
      case StepKind::Compute:
      case StepKind::MultiplyMatrix:
      case StepKind::MoveMatrix:
        if (reads) mark_results(step);
        return false;
      case StepKind::Shuffle:
        if (is_marked(step.predicate)) return true;
        for (u32 n = 1; n < step.inputs.size(); ++n) {
          if (is_marked(step.inputs[n])) return true;
        }
        if (reads) mark_results(step);
        return false;
      default:
        return reads;
    }
  }

  void mark_results(const Step& step) {
    for_writes(step, [&](u32 value) { mark(value); });
  }

  // What a step stores is marked.
  void keep(const Step& step) {
    const MemorySpace space = step.memory->space;
    const bool is_any = space == MemorySpace::Generic;
    if (is_any || space == MemorySpace::Shared) mark(in_shared_);
    if (is_any || space == MemorySpace::Local) mark(in_local_);
    if (!is_any && space != MemorySpace::Global) return;
    grew_ |= stored_.add(code_.origins[step.instruction]);
  }

  bool holds_marked(const Step& step, MemorySpace space) const {
    const bool is_any = space == MemorySpace::Generic;
    if ((is_any || space == MemorySpace::Shared) && in_shared_) return true;
    if ((is_any || space == MemorySpace::Local) && in_local_) return true;
    if (!is_any && space != MemorySpace::Global) return false;
    Reached here(launch_);
    here.add(code_.origins[step.instruction]);
    return here.meets(stored_);
  }

  const Launch& launch_;
  const Code& code_;
  Reached stored_;
  std::vector<bool> values_;
  bool in_shared_ = false, in_local_ = false, grew_ = false;
};

// Notes that of a step's access. False: it is not known how to let it pass.
bool let_pass(const Occurrence& finding, const Code& code, const Step& step, Settled::AtStep& at) {
  const bool is_atomic = step.kind == StepKind::Atomic;
  const bool is_access = step.kind == StepKind::Load || step.kind == StepKind::Store || is_atomic;
  const u64 window = finding.window < 64 ? u64(1) << finding.window : 0;
  const bool is_global = is_access && step.memory->space == MemorySpace::Global && window != 0;
  const bool is_shared = is_access && step.memory->space == MemorySpace::Shared;
  switch (finding.rule) {
    case Rule::OutOfBoundsRead:
    case Rule::OutOfBoundsWrite:
      at.access.outside_shared |= is_shared;
      at.access.outside |= window;
      return is_global || (is_shared && !is_atomic);
    case Rule::MisalignedAccess:
      at.access.misaligned |= window;
      return is_global && !is_atomic;
    case Rule::UninitializedRead:
      at.access.unwritten |= window;
      return (step.kind == StepKind::Load && (is_global || is_shared)) || (is_atomic && is_global);
    case Rule::IndexOutOfField:
      at.access.out_of_region |= window;
      return step.kind == StepKind::IndexStatement || (is_global && !is_atomic);
    case Rule::SharedRace:
      at.access.races = true;
      return is_shared && !is_atomic;
    case Rule::InactiveLaneRead:
      return step.kind == StepKind::Shuffle;
    default: {
      // What is undefined by a computation has to be followed from there.
      const CheckUnit* const unit = precheck_of(code, step, false).unit;
      at.unwatched = true;
      return step.kind == StepKind::Compute && unit && unit == unit_of(finding.rule) && !unit->undefined_results;
    }
  }
}

// Whether what an access yields is marked where it is found, and its marks keep other findings from being made.
bool is_followed(Rule rule) {
  return rule == Rule::OutOfBoundsRead || rule == Rule::UninitializedRead || rule == Rule::IndexOutOfField ||
         rule == Rule::InactiveLaneRead;
}

}  // namespace

bool Settled::take(const Collector& found, const Launch& launch, const Code& code) {
  bool some = false;
  for (const auto& [key, it] : found.found()) {
    const Occurrence& finding = it.example;
    if (finding.step >= code.steps.size()) continue;
    const Step& step = code.steps[finding.step];
    if (has(finding)) continue;
    AtStep now = at(finding.step) ? *at(finding.step) : AtStep();
    if (!let_pass(finding, code, step, now)) continue;
    if (is_followed(finding.rule) && Wake(launch, code).decides(step)) continue;
    steps_[finding.step] = now;
    reported_.insert({finding.rule, finding.step, finding.window});
    some = true;
  }
  return some;
}

bool Settled::take_one(const Occurrence& finding, const Code& code, u8* met) {
  AtStep here;
  if (at(finding.step) || !let_pass(finding, code, code.steps[finding.step], here)) return false;
  here.access.met = met;
  steps_[finding.step] = here;
  reported_.insert({finding.rule, finding.step, finding.window});
  return true;
}

bool Settled::has(const Occurrence& finding) const {
  return reported_.contains({finding.rule, finding.step, finding.window});
}

}  // namespace ropewalk::machine
