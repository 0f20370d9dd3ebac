// From the careful tier back to the fast one.
#include <algorithm>
#include <cstring>

#include "lib/machine/handlers/control.h"
#include "lib/machine/waiting_lanes.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

// Lanes that had to go on alone do not meet again where the fast tier, which keeps some values once for all, expects
// it.
bool Worker::may_go_back(const Context& context) const {
  return launch_.fast && contexts_.size() == groups_.size() &&
         std::none_of(context.open.begin(), context.open.end(),
                      [](const Divergence& it) { return it.join == Divergence::nowhere; });
}

namespace {

// A value of the careful tier, where each lane has its own, to its offset in the fast one.
void carry_over(const Context& context, const Program& fast, u32 value, const std::vector<WaitingLanes>& lanes,
                std::byte* registers) {
  const Program& careful = *context.program;
  const Code& code = *careful.code;
  const u32 bytes = code.values[value].size;
  const std::byte* const from = context.registers + careful.offset[value];
  std::byte* const to = registers + fast.offset[value];
  for (const WaitingLanes& here : lanes) {
    if (!code.live[value].contains(here.point)) continue;
    for (u32 warp = 0; warp < context.warps; ++warp) {
      if (fast.pitch[value] && here.bits[warp] == context.live[warp]) {
        std::memcpy(to + warp * fast.pitch[value], from + warp * careful.pitch[value], bytes * lanes_per_warp);
        continue;
      }
      for (u32 bits = here.bits[warp]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        const std::byte* const own = from + warp * careful.pitch[value] + lane * bytes;
        if (fast.pitch[value]) {
          std::memcpy(to + warp * fast.pitch[value] + lane * bytes, own, bytes);
          continue;
        }
        // Kept once: it is the same in all lanes.
        for (u32 copy = 0; copy < lanes_per_warp; ++copy) std::memcpy(to + copy * bytes, own, bytes);
        return;
      }
    }
  }
}

}  // namespace

// Nothing is marked: what the careful tier knows of the registers is what the fast one has, their values. Values that
// are no longer read may share their offsets there with others, and stay behind.
void Worker::continue_fast(Context& context) {
  Group& group = group_of(context);
  const Program& fast = *launch_.fast;
  const Program& careful = *context.program;
  const Code& code = *careful.code;
  const std::vector<WaitingLanes> lanes = waiting_lanes(context, context.op);
  for (u32 i = 0; i < code.values.size(); ++i) {
    const Value::Source source = code.values[i].source;
    if (source != Value::Source::Register && source != Value::Source::Temporary) continue;
    carry_over(context, fast, i, lanes, group.fast.get());
  }
  const auto moved = [&](u32 index) -> u32 {
    const Op& op = careful.ops[index];
    if (op.run == control::end) return u32(fast.ops.size() - 1);
    if (control::is_marker(op)) return fast.op_of_instruction[code.steps[op.step].instruction];
    return fast.op_of_step[op.step];
  };
  for (Divergence& split : context.open) {
    split.join = moved(split.join);
    split.pending = moved(split.pending);
  }
  context.op = fast.ops.data() + moved(u32(context.op - careful.ops.data()));
  context.program = &fast;
  context.registers = group.fast.get();
  context.shadow = nullptr;
  context.stop = Stop::Running;
}

}  // namespace ropewalk::machine
