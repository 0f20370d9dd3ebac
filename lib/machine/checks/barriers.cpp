// Barriers that part of a warp or part of the block misses.
#include "lib/machine/checks/unit.h"

namespace ropewalk::machine {

namespace {

class BarriersCheck : public Checker {
 public:
  void on_partial_barrier(const Block& block, u32 step, u32 thread, const std::string& what,
                          Severity severity) override {
    Occurrence out;
    out.rule = Rule::BarrierDivergence;
    out.severity = severity;
    out.step = step;
    out.block = block.number;
    out.thread = thread;
    out.detail = what;
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
