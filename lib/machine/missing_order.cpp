#include "lib/machine/missing_order.h"

#include <algorithm>
#include <tuple>

#include "lib/machine/instruction_location.h"

namespace ropewalk::machine {

namespace {

// What a step is not, and may have been meant to be. Whoever does not look at what an atomic gives waits for nobody.
std::vector<Assumed> what_is_missing(const Code& code, const Step& step) {
  if (step.kind == StepKind::Fence)
    return Scope(step.immediate) == Scope::Block ? std::vector{assumed_device} : std::vector<Assumed>();
  const bool is_atomic = step.kind == StepKind::Atomic;
  const bool is_access = step.kind == StepKind::Load || step.kind == StepKind::Store || is_atomic;
  if (!is_access || !step.memory->is_strong()) return {};
  // An mbarrier has an order of its own, by its phases.
  if (step.memory->is_phase_test || step.memory->arrives()) return {};
  const bool reads = step.kind == StepKind::Load || (is_atomic && code.looks_at(step));
  std::vector<Assumed> out;
  if (step.memory->scope == Scope::Block) out.push_back(assumed_device);
  if (step.kind != StepKind::Load && !releases(step.memory->strength)) out.push_back(assumed_release);
  if (reads && !acquires(step.memory->strength)) out.push_back(assumed_acquire);
  return out;
}

}  // namespace

OrderSearch::OrderSearch(const Code& code, u32 orders, u32 most_runs, RacesOf races_of)
    : orders_(orders), runs_left_(most_runs), races_of_(std::move(races_of)) {
  std::map<std::tuple<u32, u64, u32, Assumed>, std::size_t> known;
  const std::vector<u32> lines = lines_of_source(code);
  for (u32 s = 0; s < code.steps.size(); ++s) {
    const u32 instruction = code.steps[s].instruction;
    line_of_.push_back(lines[instruction]);
    for (const Assumed is_not : what_is_missing(code, code.steps[s])) {
      const u64 column = location_of(code, instruction)->column;
      const auto [one, is_new] = known.try_emplace(
          {line_of_[s], column, code.function.instructions[instruction].opcode, is_not}, candidates_.size());
      if (is_new) candidates_.push_back({{}, is_not});
      candidates_[one->second].steps.push_back(s);
    }
  }
  // The last ones are left out first: that a scope is too narrow says more than that something else would do instead.
  std::ranges::stable_partition(candidates_, [](const Candidate& it) { return it.is_not == assumed_device; });
}

bool OrderSearch::has_race_at(const std::vector<Occurrence>& races, const Occurrence& race) const {
  return std::ranges::any_of(races, [&](const Occurrence& it) {
    if (it.rule != race.rule || it.window != race.window) return false;
    const bool is_reversed = it.other_step != no_value && line_of_[it.step] == line_of_[race.other_step] &&
                             line_of_[it.other_step] == line_of_[race.step];
    return line_of_[it.step] == line_of_[race.step] || is_reversed;
  });
}

bool OrderSearch::ends(const Occurrence& race, const Chosen& chosen, u32 orders) {
  for (u32 order = 0; order < orders; ++order) {
    const auto [at, is_new] = known_.try_emplace({chosen, order});
    if (is_new && runs_left_ > 0) {
      --runs_left_;
      std::vector<u8> assumed(line_of_.size());
      for (std::size_t n = 0; n < candidates_.size(); ++n) {
        for (const u32 step : candidates_[n].steps) assumed[step] |= chosen[n] ? candidates_[n].is_not : 0;
      }
      at->second = races_of_(assumed, order);
    }
    if (!at->second || has_race_at(*at->second, race)) return false;
  }
  return true;
}

OrderSearch::Chosen OrderSearch::least_of(const Occurrence& race, Chosen chosen, u32 orders) {
  for (std::size_t n = candidates_.size(); n-- > 0;) {
    chosen[n] = false;
    if (!ends(race, chosen, orders)) chosen[n] = true;
  }
  return chosen;
}

std::vector<MissingStep> OrderSearch::find(const Occurrence& race) {
  const Chosen all(candidates_.size(), true);
  if (candidates_.empty() || !ends(race, all, 1)) return {};
  Chosen chosen = least_of(race, all, 1);
  if (!ends(race, chosen, orders_)) {
    if (!ends(race, all, orders_)) return {};
    chosen = least_of(race, all, orders_);
  }
  // Where it was cut short, some may be among them that need not be.
  if (runs_left_ == 0) return {};
  std::vector<MissingStep> out;
  for (std::size_t n = 0; n < candidates_.size(); ++n) {
    if (chosen[n]) out.push_back({candidates_[n].steps.front(), candidates_[n].is_not});
  }
  return out;
}

}  // namespace ropewalk::machine
