#include "lib/init/check_plan.h"

#include <fmt/format.h>

#include "lib/init/explain.h"
#include "lib/init/explore.h"

namespace ropewalk::init {

PlanAnswer check_plan(const Plan& plan) {
  Simulator simulator(plan);
  Exploration exploration = explore(simulator);
  PlanAnswer answer;
  answer.findings = findings_of(exploration, simulator);
  answer.orders = exploration.orders;
  answer.good = exploration.good;
  answer.cut = exploration.cut;
  answer.states = exploration.states;
  answer.runs = exploration.runs;
  answer.launches = simulator.workshop().launches();
  answer.notes.push_back(fmt::format(
      "{}{} orders of {} events on {} rank{}, {} good; {} steps were run to {} states, and {} launches on the machine",
      exploration.cut ? "at least " : "", exploration.orders.text(), plan.events.size(), plan.ranks,
      plan.ranks == 1 ? "" : "s", exploration.good.text(), exploration.runs, exploration.states, answer.launches));
  for (const std::string& what : exploration.left_out) {
    answer.notes.push_back("the search was cut; not explored: " + what);
  }
  return answer;
}

}  // namespace ropewalk::init
