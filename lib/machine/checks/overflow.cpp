#include "lib/machine/checks/overflow.h"

#include <fmt/format.h>

namespace ropewalk::machine {

// The place is that of the arithmetic, for that is what has to be changed; the access says what it led to.
void OverflowCheck::on_access(const AccessEvent& event, Verdict&) {
  if (!(event.address_taint & wrong_address) || event.address_value == no_value) return;
  const Shadow& shadow = *event.context.shadow;
  const auto at = shadow.exact.find(shadow.cell(event.address_value, event.warp, event.lane));
  if (at == shadow.exact.end()) return;
  Occurrence out = event.occurrence(Rule::IndexOverflow);
  out.other_step = event.step_index;
  out.step = at->second.step;
  event.context.block->collector->report(
      out, [&](Occurrence& example) { example.detail = fmt::format("{}", at->second.value); });
}

}  // namespace ropewalk::machine
