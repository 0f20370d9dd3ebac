#include "lib/machine/checks/lanes.h"

#include <fmt/format.h>

#include "lib/machine/checks/unit.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

class LanesCheck : public Checker {
 public:
  void on_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from, Severity severity) override;
};

Occurrence occurrence_of(const Context& context, u32 step, u32 warp, u32 lane) {
  Occurrence out;
  out.rule = Rule::InactiveLaneRead;
  out.step = step;
  out.block = context.block->number;
  out.thread = context.first_thread + warp * lanes_per_warp + lane;
  return out;
}

std::string words(const Context& context, u32 warp, u32 lane, u32 from) {
  const bool is_here = from < lanes_per_warp && ((context.bits[warp] >> from) & 1u);
  if (from > lanes_per_warp)
    return fmt::format("lane {} gives another member mask than a lane that its own mask names", lane);
  if (from == lane) return fmt::format("lane {} is not in its own member mask", lane);
  if (from == lanes_per_warp) return fmt::format("lane {} is named by the member mask and does not take part", lane);
  return is_here ? fmt::format("lane {} reads lane {}, which its member mask does not name", lane, from)
                 : fmt::format("lane {} reads lane {}, which does not take part", lane, from);
}

}  // namespace

void LanesCheck::on_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from, Severity severity) {
  Occurrence out = occurrence_of(context, step, warp, lane);
  out.severity = severity;
  context.block->collector->report(out,
                                   [&](Occurrence& example) { example.detail = words(context, warp, lane, from); });
}

u32 source_of_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from) {
  if (!context.block->launch->options.checks.has(Check::Lanes)) return UnwrittenReads::a_finding;
  Occurrence out = occurrence_of(context, step, warp, lane);
  out.detail = words(context, warp, lane, from);
  return context.block->unwritten.add(std::move(out));
}

template <>
const CheckUnit& unit<Check::Lanes>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::InactiveLaneRead, "Shuffle from a lane that does not take part",
            "A shuffle, vote, match or matrix instruction read the value of a lane that was not active at the "
            "instruction or not in its mask.",
            "The value is undefined, so a reduction over the warp is wrong for the last rows only, where lanes are "
            "off.",
            "Usually a full mask is used inside a branch, or threads past the end returned before the reduction."}},
      .listen = listens<LanesCheck>,
  };
  return unit;
}

}  // namespace ropewalk::machine
