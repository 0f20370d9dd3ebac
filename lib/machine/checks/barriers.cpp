// Barriers that part of a warp or part of the block misses.
#include "lib/machine/checks/unit.h"

namespace ropewalk::machine {

namespace {

class BarriersCheck : public Checker {
 public:
  void on_partial_barrier(const Block& block, const PartialBarrier& at) override {
    Occurrence out;
    out.rule = Rule::BarrierDivergence;
    out.severity = at.severity;
    out.step = at.step;
    out.block = out.other_block = block.number;
    out.thread = at.thread;
    out.other_step = at.other_step;
    out.other_thread = at.other_thread;
    out.detail = at.what;
    block.collector->report(out);
  }
};

}  // namespace

template <>
const CheckUnit& unit<Check::Barriers>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::BarrierDivergence, "Barrier that part of a block misses",
            "Some threads of a block waited at a barrier that others left out, left early, or met at another place.",
            "The behaviour is undefined: the kernel hangs on one architecture and goes on with half-written shared "
            "memory on another.",
            "Usually the barrier stands inside a condition on the thread or the row, or an early return for threads "
            "past the end stands before it."}},
      .listen = listens<BarriersCheck>,
  };
  return unit;
}

}  // namespace ropewalk::machine
