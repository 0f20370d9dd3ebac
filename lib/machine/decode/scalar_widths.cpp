#include "lib/machine/decode/scalar_widths.h"

#include <algorithm>

#include "lib/machine/code.h"

namespace ropewalk::machine {

namespace {

void widen(ScalarWidth& known, const ScalarWidth& more) {
  known.widest = std::max(known.widest, more.widest);
  known.surely = std::max(known.surely, more.surely);
}

}  // namespace

ScalarWidth ScalarWidths::in_shared(u32 variable) const {
  ScalarWidth out;
  for (const auto& [one, width] : shared) {
    if (one == variable || one == no_value || variable == no_value) widen(out, width);
  }
  return out;
}

ScalarWidths scalar_widths(const Code& code) {
  ScalarWidths widths;
  for (const Step& step : code.steps) {
    if (step.kind != StepKind::Store) continue;
    const MemoryStep& memory = *step.memory;
    const u32 bytes = memory.element_bytes;
    ScalarWidth width{bytes, bytes == 8 || memory.type == ptx::Type::F32 ? bytes : 0};
    const bool any = memory.space == MemorySpace::Generic;
    if (any || memory.space == MemorySpace::Local) widen(widths.local, width);
    if (!any && memory.space != MemorySpace::Shared) continue;
    // A generic address that is not known to come from a shared variable may lead anywhere.
    if (any && memory.variable == no_value) width.surely = 0;
    widen(widths.shared[memory.variable], width);
  }
  return widths;
}

}  // namespace ropewalk::machine
