#include "lib/machine/checks/lanes.h"

#include <fmt/format.h>

namespace ropewalk::machine {

void LanesCheck::on_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from) {
  Occurrence out;
  out.rule = Rule::InactiveLaneRead;
  out.step = step;
  out.block = context.block->number;
  out.thread = context.first_thread + warp * lanes_per_warp + lane;
  const auto words = [&](Occurrence& example) {
    const bool is_here = from < lanes_per_warp && ((context.bits[warp] >> from) & 1u);
    example.detail = from > lanes_per_warp
                         ? fmt::format("lane {} gives another member mask than a lane that its own mask names", lane)
                     : from == lane ? fmt::format("lane {} is not in its own member mask", lane)
                     : from >= lanes_per_warp
                         ? fmt::format("lane {} is named by the member mask and does not take part", lane)
                     : is_here ? fmt::format("lane {} reads lane {}, which its member mask does not name", lane, from)
                               : fmt::format("lane {} reads lane {}, which does not take part", lane, from);
  };
  context.block->collector->report(out, words);
}

}  // namespace ropewalk::machine
