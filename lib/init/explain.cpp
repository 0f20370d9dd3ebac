#include "lib/init/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/init/causes.h"
#include "lib/init/enumerate.h"
#include "lib/init/minimal.h"
#include "lib/init/order_text.h"
#include "lib/init/separate.h"

namespace ropewalk::init {
namespace {

constexpr u64 most_orders = 20000;  // that a rule is compared with

// The ranks that can have made a rank what it is: itself and the origins of broadcasts.
std::vector<u32> ranks_behind(const Simulator& simulator, u32 rank) {
  const Plan& plan = simulator.plan();
  std::set<u32> ranks{rank};
  if (ranks_share_memory(plan)) {
    for (u32 other = 0; other < plan.ranks; ++other) ranks.insert(other);
  }
  for (u32 event = 0; event < plan.events.size(); ++event) {
    if (plan.events[event].is_collective()) ranks.insert(simulator.origin_of(event, rank));
  }
  return {ranks.begin(), ranks.end()};
}

// The orders of the ranks behind a failing one.
struct Neighbourhood {
  Unit unit;
  u32 rank = 0;  // the failing one, within the unit
  std::unique_ptr<States> states;
  OrderList list;

  Neighbourhood(Simulator& simulator, u32 of_rank) {
    const std::vector<u32> ranks = ranks_behind(simulator, of_rank);
    rank = u32(std::find(ranks.begin(), ranks.end(), of_rank) - ranks.begin());
    unit = unit_of(simulator.plan(), ranks);
    states = std::make_unique<States>(simulator, unit);
    list = enumerate_orders(simulator.plan(), unit, *states, most_orders, true);
  }
};

bool same_defect(const Failure& a, const Failure& b) { return a.cause == b.cause && a.event == b.event; }

const Failure* failure_at(const Simulator& simulator, const Neighbourhood& near, const Order& order) {
  const i32 failure = near.states->failure(order.last, near.rank);
  return failure < 0 ? nullptr : &simulator.failures()[size_t(failure)];
}

// "no unconditional reset follows", where the plan has none that could.
bool has_unconditional_reset(const Plan& plan) {
  return std::any_of(plan.events.begin(), plan.events.end(), [](const Event& event) {
    return event.kind == EventKind::Reset && event.when == ResetWhen::Always;
  });
}

std::string precedence_text(const Plan& plan, const Unit& unit, const Precedence& one) {
  const Event& first = plan.events[unit.steps[one.first].event];
  const Event& second = plan.events[unit.steps[one.second].event];
  if (first.kind == EventKind::Reset && first.when == ResetWhen::Always && second.kind == EventKind::ToEmpty) {
    return fmt::format("no unconditional reset follows {}", unit.name_of(plan, one.second));
  }
  return fmt::format("{} comes after {}", unit.name_of(plan, one.second), unit.name_of(plan, one.first));
}

std::string rule_text(const Simulator& simulator, const Neighbourhood& near, const Failure& failure) {
  const Plan& plan = simulator.plan();
  std::vector<Judged> orders;
  for (const Order& order : near.list.orders) {
    Judged judged;
    judged.position.resize(order.steps.size());
    for (size_t n = 0; n < order.steps.size(); ++n) judged.position[order.steps[n]] = u8(n);
    const Failure* const found = failure_at(simulator, near, order);
    judged.bad = found && same_defect(*found, failure);
    orders.push_back(std::move(judged));
  }
  const std::string scope =
      near.list.complete ? "" : fmt::format(" (of the first {} orders; there are more)", most_orders);
  // Steps of different ranks that do not influence each other stand in one of their orders alone.
  const bool shared = ranks_share_memory(plan);
  const auto meaningful = [&](u8 a, u8 b) {
    const i32 first = near.unit.steps[a].rank, second = near.unit.steps[b].rank;
    return shared || first < 0 || second < 0 || first == second;
  };
  const std::optional<SeparatingRule> rule = separating_rule(orders, meaningful);
  if (!rule || rule->alternatives.empty()) {
    const u64 bad = u64(std::count_if(orders.begin(), orders.end(), [](const Judged& one) { return one.bad; }));
    return fmt::format("bad in {} of {} orders of {}; no small rule separates them{}", bad, orders.size(),
                       near.unit.ranks.size() == 1 ? "a rank" : "these ranks", scope);
  }
  const bool emptied = failure.culprit >= 0 && plan.events[size_t(failure.culprit)].kind == EventKind::ToEmpty;
  const std::string none = emptied && !has_unconditional_reset(plan) ? " and no unconditional reset follows" : "";
  if (rule->alternatives.front().empty()) {
    return fmt::format("bad in every order that the plan allows{}{}",
                       none.empty() ? "" : ": to_empty comes, and no unconditional reset follows", scope);
  }
  std::string text = "bad exactly when ";
  for (size_t n = 0; n < rule->alternatives.size(); ++n) {
    if (n) text += ", or when ";
    const std::vector<Precedence>& all = rule->alternatives[n];
    for (size_t i = 0; i < all.size(); ++i) text += (i ? " and " : "") + precedence_text(plan, near.unit, all[i]);
    text += none;
  }
  return text + scope;
}

FindingLocation location_of(const Plan& plan, i16 event) {
  FindingLocation location;
  location.file = plan.path;
  location.line = plan.events[size_t(event)].line;
  return location;
}

Finding finding_of(const Failure& failure, const FailureSeen& seen, Simulator& simulator) {
  const Plan& plan = simulator.plan();
  const Event& event = plan.events[size_t(failure.event)];
  const Neighbourhood near(simulator, seen.rank);
  Finding finding;
  finding.rule = Rule::InitOrder;
  finding.message = fmt::format("{} on rank {} {}", event.name, seen.rank, failure.text);
  finding.kernel_name = plan.name.empty() ? plan.path : plan.name;
  const i16 culprit = failure.culprit >= 0 ? failure.culprit : failure.event;
  finding.location = location_of(plan, culprit);
  finding.related = plan.related;
  if (failure.run >= 0) {
    const ForwardRun& run = simulator.workshop().run(failure.run);
    finding.numbers = run.worst;
  }

  std::vector<std::string> evidence;
  evidence.push_back(rule_text(simulator, near, failure));
  const auto bad = std::find_if(near.list.orders.begin(), near.list.orders.end(), [&](const Order& order) {
    const Failure* const found = failure_at(simulator, near, order);
    return found && same_defect(*found, failure);
  });
  const std::string so = failure.label == Label::Absent
                             ? "it so"
                             : fmt::format("{} {}", plan.buffers[size_t(failure.buffer)].name, name_of(failure.label));
  if (!failure.cause.empty()) {
    evidence.push_back(fmt::format("the first event that made {} is {}", so, plan.events[size_t(culprit)].name));
  }
  if (!failure.meeting.empty()) evidence.push_back(failure.meeting);
  if (failure.run >= 0) evidence.push_back(in_words(simulator.workshop().run(failure.run)));
  const MinimalPlan minimal = minimal_plan(plan, simulator.kernels(), failure);
  finding.minimal_case = in_words(minimal.plan);
  evidence.push_back((minimal.is_smallest ? "smallest plan that still fails: " : "a smaller plan that still fails: ") +
                     finding.minimal_case);
  if (bad != near.list.orders.end()) {
    evidence.push_back("an order that fails: " + order_text(plan, near.unit, bad->steps));
    for (const std::string& line : trace_of(plan, near.unit, *near.states, bad->steps, near.rank)) {
      finding.evidence.push_back(line);
    }
  }
  if (failure.cause.empty()) {
    finding.evidence.insert(finding.evidence.begin(), evidence.begin(), evidence.end());
  } else {
    finding.cause =
        Cause{failure.cause, cause_text(failure, plan), std::move(evidence), std::string(advice_for(failure.cause))};
  }
  identify(finding);
  return finding;
}

}  // namespace

std::string rule_text(Simulator& simulator, const FailureSeen& seen) {
  return rule_text(simulator, Neighbourhood(simulator, seen.rank), simulator.failures()[size_t(seen.failure)]);
}

std::vector<Finding> findings_of(const Exploration& exploration, Simulator& simulator) {
  std::vector<Finding> findings;
  std::vector<Failure> reported;
  for (const FailureSeen& seen : exploration.failures) {
    const Failure failure = simulator.failures()[size_t(seen.failure)];
    if (std::any_of(reported.begin(), reported.end(),
                    [&](const Failure& other) { return same_defect(failure, other); })) {
      continue;
    }
    reported.push_back(failure);
    findings.push_back(finding_of(failure, seen, simulator));
  }
  return findings;
}

}  // namespace ropewalk::init
