// Two threads that touch the same bytes, one of them writing, and neither access happens before the other.
#include <fmt/format.h>

#include "lib/machine/checks/order.h"
#include "lib/machine/checks/shared_race.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/words.h"

namespace ropewalk::machine {

template <>
const CheckUnit& unit<Check::Races>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::SharedRace, "Race in shared memory",
            "Two threads of a block touched the same bytes of shared memory, one of them writing, and neither access "
            "happens "
            "before the other: no barrier, bar.warp.sync, or release and acquire lies between.",
            "Which of the two comes first depends on the schedule, so the result is wrong now and then.",
            "Usually a barrier is missing between filling a tile and reading it, or before it is filled again in the "
            "next "
            "round of a loop."},
           {Rule::GlobalRace, "Race in global memory",
            "Two threads of the launch touched the same bytes of global memory, one of them writing, and neither "
            "access happens "
            "before the other: no barrier of their block, and no release and acquire (or fences around a flag) whose "
            "scopes "
            "include both, lies between.",
            "The order of blocks is not defined, so the result depends on the machine, the load and chance.",
            "Usually two blocks own overlapping rows, an output is updated in place that others still read, a sum over "
            "blocks is done without atomics, or a flag is set or read without __threadfence()."}},
      .words =
          [](const Told& told) {
            const char* who = told.finding.rule == Rule::SharedRace ? "two threads of a block" : "two threads";
            return fmt::format("{} race for {}: {}", who, told.element(), told.example.detail);
          },
      .listen = [](const Listening& listening) -> std::unique_ptr<Checker> {
        if (listening.ordered) return std::make_unique<OrderCheck>(listening.strict);
        return std::make_unique<SharedRaceCheck>(listening.strict);
      },
  };
  return unit;
}

}  // namespace ropewalk::machine
