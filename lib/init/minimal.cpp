#include "lib/init/minimal.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/init/explore.h"

namespace ropewalk::init {
namespace {

// What a failure is known by when events and ranks have been taken away.
struct Defect {
  std::string cause, event, culprit;
  bool operator==(const Defect&) const = default;
};

Defect defect_of(const Failure& failure, const Plan& plan) {
  const auto name = [&](i16 event) { return event >= 0 ? plan.events[size_t(event)].name : std::string(); };
  return {failure.cause, name(failure.event), name(failure.culprit)};
}

// How much may be done for a smaller plan; what is left.
struct Effort {
  u64 moves = ExploreLimits{}.moves;
};

bool shows(const Plan& plan, const Kernels& kernels, const Defect& defect, Effort& effort) {
  if (effort.moves == 0) return false;
  Simulator simulator(plan, kernels);
  const Exploration exploration = explore(simulator, {.moves = effort.moves});
  effort.moves -= std::min(effort.moves, exploration.moves);
  return std::any_of(exploration.failures.begin(), exploration.failures.end(), [&](const FailureSeen& seen) {
    return defect_of(simulator.failures()[size_t(seen.failure)], plan) == defect;
  });
}

bool names_rank(const Plan& plan, u32 rank) {
  return std::any_of(plan.events.begin(), plan.events.end(), [&](const Event& event) {
    return std::any_of(event.after.begin(), event.after.end(),
                       [&](const Event::After& after) { return after.rank == rank; });
  });
}

}  // namespace

MinimalPlan minimal_plan(const Plan& plan, const Kernels& kernels, const Failure& failure) {
  Plan smallest = plan;
  const Defect defect = defect_of(failure, plan);
  Effort effort;
  const auto still_fails = [&](const Plan& smaller) { return shows(smaller, kernels, defect, effort); };
  while (smallest.ranks > 1 && !names_rank(smallest, smallest.ranks - 1)) {
    Plan smaller = smallest;
    --smaller.ranks;
    if (!still_fails(smaller)) break;
    smallest = std::move(smaller);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 event = 0; event < smallest.events.size(); ++event) {
      const std::string& name = smallest.events[event].name;
      if (smallest.events.size() == 1 || name == defect.event || name == defect.culprit) continue;
      Plan smaller = without_event(smallest, event);
      if (!still_fails(smaller)) continue;
      smallest = std::move(smaller);
      changed = true;
      --event;
    }
  }
  return {std::move(smallest), effort.moves > 0};
}

std::string in_words(const Plan& plan) {
  std::string text = fmt::format("{} rank{}:", plan.ranks, plan.ranks == 1 ? "" : "s");
  for (const Event& event : plan.events) {
    text += fmt::format("{} {}", &event == plan.events.data() ? "" : " ->", event.name);
  }
  return text;
}

}  // namespace ropewalk::init
