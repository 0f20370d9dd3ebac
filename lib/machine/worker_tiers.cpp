// From the careful tier back to the fast one.
#include <algorithm>
#include <cstring>

#include "lib/machine/handlers/control.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

namespace {

// The first lane that has not left; a value that is kept once is the same in all of them.
bool first_live(const Context& context, u32& warp, u32& lane) {
  for (warp = 0; warp < context.warps; ++warp) {
    if (context.live[warp] == 0) continue;
    lane = u32(__builtin_ctz(context.live[warp]));
    return true;
  }
  return false;
}

}  // namespace

// Lanes that had to go on alone do not meet again where the fast tier, which keeps some values once for all, expects
// it.
bool Worker::may_go_back(const Context& context) const {
  return launch_.fast && contexts_.size() == groups_.size() &&
         std::none_of(context.open.begin(), context.open.end(),
                      [](const Divergence& it) { return it.join == Divergence::nowhere; });
}

// Nothing is marked: what the careful tier knows of the registers is what the fast one has, their values. Values that
// are no longer read may share their places there with others, and stay behind.
void Worker::continue_fast(Context& context) {
  Group& group = group_of(context);
  const Program& fast = *launch_.fast;
  const Program& careful = *context.program;
  const Code& code = *careful.code;
  const u32 point = 2 * context.op->step;
  u32 some_warp = 0, some_lane = 0;
  if (!first_live(context, some_warp, some_lane)) return;
  for (u32 i = 0; i < code.values.size(); ++i) {
    const Value& value = code.values[i];
    if (value.source != Value::Source::Register && value.source != Value::Source::Temporary) continue;
    if (code.live[i].first >= point || code.live[i].last < point) continue;
    const std::byte* const from = context.registers + careful.place[i];
    std::byte* const to = group.fast.get() + fast.place[i];
    if (fast.pitch[i] == 0) {
      const std::byte* const one = from + some_warp * careful.pitch[i] + some_lane * value.size;
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) std::memcpy(to + lane * value.size, one, value.size);
      continue;
    }
    for (u32 w = 0; w < context.warps; ++w) {
      if (context.live[w])
        std::memcpy(to + w * fast.pitch[i], from + w * careful.pitch[i], value.size * lanes_per_warp);
    }
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
