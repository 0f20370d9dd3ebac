#include "lib/machine/checks/barriers.h"

namespace ropewalk::machine {

void BarriersCheck::on_partial_barrier(const Block& block, u32 step, u32 thread, const std::string& what) {
  Occurrence out;
  out.rule = Rule::BarrierDivergence;
  out.step = step;
  out.block = block.number;
  out.thread = thread;
  out.detail = what;
  block.collector->report(out);
}

}  // namespace ropewalk::machine
