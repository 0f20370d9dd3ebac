#include "lib/init/enumerate.h"

namespace ropewalk::init {
namespace {

struct Walk {
  const Unit& unit;
  States& states;
  u64 most;
  bool reduced;
  bool shared;  // steps of different ranks change the same memory
  OrderList list;
  std::vector<u8> steps;

  // Whether the step would better have come before the last one.
  bool out_of_turn(u32 step) const {
    if (!reduced || shared || steps.empty() || (unit.before[step] >> steps.back() & 1)) return false;
    const i32 last = unit.steps[steps.back()].rank, next = unit.steps[step].rank;
    return last >= 0 && next >= 0 && next < last;
  }

  void go(u64 done, u32 state) {
    if (!list.complete) return;
    if (done == unit.all()) {
      if (list.orders.size() == most) {
        list.complete = false;
      } else {
        list.orders.push_back({steps, state});
      }
      return;
    }
    for (u32 step = 0; step < unit.steps.size(); ++step) {
      if (!unit.may_follow(done, step) || out_of_turn(step)) continue;
      steps.push_back(u8(step));
      go(done | u64(1) << step, states.after(state, step));
      steps.pop_back();
    }
  }
};

}  // namespace

OrderList enumerate_orders(const Plan& plan, const Unit& unit, States& states, u64 most, bool reduced) {
  Walk walk{unit, states, most, reduced, ranks_share_memory(plan), {}, {}};
  walk.go(0, states.initial());
  return std::move(walk.list);
}

}  // namespace ropewalk::init
