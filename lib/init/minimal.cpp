#include "lib/init/minimal.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/init/explore.h"

namespace ropewalk::init {
namespace {

std::optional<FailureSeen> failure_of(const Plan& plan, const std::string& cause, const std::string& event) {
  Simulator simulator(plan);
  const Exploration exploration = explore(simulator);
  for (const FailureSeen& seen : exploration.failures) {
    const Failure& failure = simulator.failures()[size_t(seen.failure)];
    if (failure.cause == cause && plan.events[size_t(failure.event)].name == event) return seen;
  }
  return std::nullopt;
}

bool names_rank(const Plan& plan, u32 rank) {
  return std::any_of(plan.events.begin(), plan.events.end(), [&](const Event& event) {
    return std::any_of(event.after.begin(), event.after.end(),
                       [&](const Event::After& after) { return after.rank == rank; });
  });
}

}  // namespace

Plan minimal_plan(const Plan& plan, const std::string& cause, const std::string& failing_event) {
  Plan smallest = plan;
  const auto still_fails = [&](const Plan& smaller) { return failure_of(smaller, cause, failing_event).has_value(); };
  while (smallest.ranks > 1 && !names_rank(smallest, smallest.ranks - 1)) {
    Plan smaller = smallest;
    --smaller.ranks;
    if (!still_fails(smaller)) break;
    smallest = std::move(smaller);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 event = 0; event < smallest.events.size(); ++event) {
      if (smallest.events.size() == 1 || smallest.events[event].name == failing_event) continue;
      Plan smaller = without_event(smallest, event);
      if (!still_fails(smaller)) continue;
      smallest = std::move(smaller);
      changed = true;
      --event;
    }
  }
  return smallest;
}

std::string in_words(const Plan& plan) {
  std::string text = fmt::format("{} rank{}:", plan.ranks, plan.ranks == 1 ? "" : "s");
  for (const Event& event : plan.events) {
    text += fmt::format("{} {}", &event == plan.events.data() ? "" : " ->", event.name);
  }
  return text;
}

}  // namespace ropewalk::init
