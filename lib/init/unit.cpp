#include "lib/init/unit.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace ropewalk::init {
namespace {

// Whether `step`, which must come after an event of this rank (of its own where there is none), waits for `other`.
bool happens_on(const Unit& unit, const Step& other, const std::optional<u32>& rank, const Step& step) {
  if (other.rank == Step::all_ranks) return true;
  const auto number = [&](const Step& one) { return one.rank >= 0 ? unit.ranks[size_t(one.rank)] : one.other; };
  if (rank) return number(other) == *rank;
  return step.rank == Step::all_ranks || number(other) == number(step);
}

void require_an_order(const Plan& plan, const Unit& unit) {
  u64 done = 0;
  for (size_t round = 0; round < unit.steps.size(); ++round) {
    for (u32 step = 0; step < unit.steps.size(); ++step) {
      if (unit.may_follow(done, step)) done |= u64(1) << step;
    }
  }
  for (u32 step = 0; step < unit.steps.size(); ++step) {
    if (done >> step & 1) continue;
    throw InputError(
        InputLocation{plan.path, plan.events[unit.steps[step].event].line, 0, "events"},
        fmt::format("{} can never happen: over several ranks, \"after\" goes in a circle", unit.name_of(plan, step)));
  }
}

}  // namespace

std::string Unit::name_of(const Plan& plan, u32 step) const {
  const std::string& name = plan.events[steps[step].event].name;
  if (steps[step].rank == Step::elsewhere) return fmt::format("{} on rank {}", name, steps[step].other);
  if (ranks.size() == 1 || steps[step].rank < 0) return name;
  return fmt::format("{} on rank {}", name, ranks[size_t(steps[step].rank)]);
}

Unit unit_of(const Plan& plan, const std::vector<u32>& ranks) {
  Unit unit;
  unit.ranks = ranks;
  for (u32 event = 0; event < plan.events.size(); ++event) {
    if (plan.events[event].is_collective()) {
      unit.steps.push_back({event, -1});
      continue;
    }
    for (u32 rank = 0; rank < ranks.size(); ++rank) {
      if (plan.events[event].happens_on(ranks[rank])) unit.steps.push_back({event, i32(rank)});
    }
  }
  for (const NamedEvent& named : named_events(plan)) {
    if (std::find(ranks.begin(), ranks.end(), named.rank) != ranks.end()) continue;
    unit.steps.push_back({named.event, Step::elsewhere, named.rank});
  }
  if (unit.steps.size() > 64) {
    throw InputError(InputLocation{plan.path, 0, 0, "events"},
                     fmt::format("{} steps of {} ranks depend on each other, at most 64 are possible; give --ranks",
                                 unit.steps.size(), ranks.size()));
  }
  for (const Step& step : unit.steps) {
    u64 before = 0;
    for (const Event::After& after : plan.events[step.event].after) {
      for (u32 other = 0; other < unit.steps.size(); ++other) {
        if (unit.steps[other].event != after.event) continue;
        if (happens_on(unit, unit.steps[other], after.rank, step)) before |= u64(1) << other;
      }
    }
    unit.before.push_back(before);
  }
  require_an_order(plan, unit);
  return unit;
}

States::States(Simulator& simulator, const Unit& unit) : simulator_(simulator), unit_(unit) {
  number_of(simulator.initial(unit.ranks.size()));
}

bool States::good(u32 number) const {
  const auto& ranks = states_[number].ranks;
  return std::all_of(ranks.begin(), ranks.end(), [](const RankState& rank) { return rank.failure < 0; });
}

u32 States::number_of(UnitState state) {
  const auto [known, is_new] = numbers_.emplace(state.key(), u32(states_.size()));
  if (is_new) states_.push_back(std::move(state));
  return known->second;
}

u32 States::after(u32 number, u32 step) {
  const auto [known, is_new] = steps_.emplace(u64(number) << 8 | step, 0);
  if (!is_new) return known->second;
  ++transitions_;
  UnitState state = states_[number];
  const Step& what = unit_.steps[step];
  if (what.rank >= 0) {
    simulator_.apply(state, u32(what.rank), what.event);
  } else if (what.rank == Step::all_ranks) {
    std::vector<std::vector<BufferState>> given;
    for (const u32 rank : unit_.ranks) {
      const u32 origin = simulator_.origin_of(what.event, rank);
      const auto at = std::find(unit_.ranks.begin(), unit_.ranks.end(), origin);
      const size_t from = at == unit_.ranks.end() ? given.size() : size_t(at - unit_.ranks.begin());
      given.push_back(simulator_.supply(state.ranks[from], what.event));
    }
    for (size_t rank = 0; rank < unit_.ranks.size(); ++rank) {
      simulator_.receive(state.ranks[rank], unit_.ranks[rank], what.event, given[rank]);
    }
  }
  return known->second = number_of(std::move(state));
}

u32 States::after_receiving(u32 number, u32 step, const std::vector<BufferState>& given, u32 given_number) {
  const auto [known, is_new] = receipts_.emplace(std::tuple(number, step, given_number), 0);
  if (!is_new) return known->second;
  ++transitions_;
  UnitState state = states_[number];
  simulator_.receive(state.ranks[0], unit_.ranks[0], unit_.steps[step].event, given);
  return known->second = number_of(std::move(state));
}

}  // namespace ropewalk::init
