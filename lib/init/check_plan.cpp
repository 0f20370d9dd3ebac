#include "lib/init/check_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/init/explain.h"
#include "lib/init/explore.h"

namespace ropewalk::init {
namespace {

// "1 order", "20,160 orders".
std::string counted(const Natural& count, const std::string& one, const std::string& many = "") {
  return fmt::format("{} {}", count.text(), count == Natural(1) ? one : many.empty() ? one + "s" : many);
}

bool acts_on(const Event& event, u32 rank, u32 buffer) {
  return event.happens_on(rank) && std::find(event.buffers.begin(), event.buffers.end(), buffer) != event.buffers.end();
}

bool gives_values(const Event& event) {
  return event.kind == EventKind::RegisterBuffer || event.kind == EventKind::BuildCache ||
         event.kind == EventKind::Reset || event.kind == EventKind::LoadCheckpoint || event.kind == EventKind::Grow;
}

// Whether some event, of those on this rank that act on the buffer, is such a one.
template <class Is>
bool any_event(const Plan& plan, u32 rank, u32 buffer, const Is& is) {
  return std::any_of(plan.events.begin(), plan.events.end(),
                     [&](const Event& event) { return is(event) && acts_on(event, rank, buffer); });
}

// Only what a forward makes of a buffer is judged.
std::vector<std::string> not_judged(const Plan& plan) {
  const auto is_forward = [](const Event& event) { return event.kind == EventKind::Forward; };
  if (std::none_of(plan.events.begin(), plan.events.end(), is_forward)) {
    return {"the plan has no forward, and only what a forward makes of a buffer is judged"};
  }
  std::vector<std::string> all;
  for (u32 buffer = 0; buffer < plan.buffers.size(); ++buffer) {
    std::string ranks;
    for (u32 rank = 0; rank < plan.ranks; ++rank) {
      if (any_event(plan, rank, buffer, gives_values) && !any_event(plan, rank, buffer, is_forward)) {
        ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", rank);
      }
    }
    const auto is_source = [&](const BufferPlan& table) { return table.from == i32(buffer); };
    if (ranks.empty() || std::any_of(plan.buffers.begin(), plan.buffers.end(), is_source)) continue;
    all.push_back(fmt::format("no forward uses {} on rank {}", plan.buffers[buffer].name, ranks));
  }
  return all;
}

}  // namespace

PlanAnswer check_plan(const Plan& plan, const Kernels& kernels) {
  Simulator simulator(plan, kernels);
  Exploration exploration = explore(simulator);
  PlanAnswer answer;
  answer.findings = findings_of(exploration, simulator);
  answer.orders = exploration.orders;
  answer.good = exploration.good;
  answer.cut = exploration.cut;
  if (answer.cut) answer.not_judged.push_back({plan.path, "the search was cut before every order was explored"});
  for (const std::string& what : not_judged(plan)) answer.not_judged.push_back({plan.path, what});
  answer.cases = 1;
  answer.passed = answer.findings.empty() && answer.not_judged.empty();
  answer.states = exploration.states;
  answer.runs = exploration.runs;
  answer.launches = simulator.workshop().launches();
  answer.notes.push_back(fmt::format(
      "{}{} of {} on {}, {} good; {} run to {}, and {} on the machine", exploration.cut ? "at least " : "",
      counted(exploration.orders, "order"), counted(plan.events.size(), "event"), counted(plan.ranks, "rank"),
      exploration.good.text(), exploration.runs == 1 ? "1 step was" : fmt::format("{} steps were", exploration.runs),
      counted(exploration.states, "state"), counted(answer.launches, "launch", "launches")));
  for (const std::string& what : exploration.left_out) {
    answer.notes.push_back("the search was cut; not explored: " + what);
  }
  return answer;
}

}  // namespace ropewalk::init
