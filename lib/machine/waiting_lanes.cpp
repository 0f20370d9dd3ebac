#include "lib/machine/waiting_lanes.h"

#include "lib/machine/program.h"

namespace ropewalk::machine {

std::vector<WaitingLanes> waiting_lanes(const Context& context, const Op* op) {
  std::vector<WaitingLanes> all;
  u32 placed[max_warps] = {};
  const auto add = [&](const Op& at, const u32* bits) {
    WaitingLanes entry{2 * at.step, {}};
    bool any = false;
    for (u32 warp = 0; warp < context.warps; ++warp) {
      entry.bits[warp] = bits[warp] & context.live[warp] & ~placed[warp];
      placed[warp] |= entry.bits[warp];
      any |= entry.bits[warp] != 0;
    }
    if (any) all.push_back(entry);
  };
  add(*op, context.bits);
  // From the innermost branch outwards: a lane waits where the innermost one that it is part of says.
  for (auto split = context.open.rbegin(); split != context.open.rend(); ++split) {
    const auto& ops = context.program->ops;
    if (split->pending < ops.size()) add(ops[split->pending], split->pending_bits);
    if (split->join < ops.size()) add(ops[split->join], split->join_bits);
  }
  return all;
}

}  // namespace ropewalk::machine
