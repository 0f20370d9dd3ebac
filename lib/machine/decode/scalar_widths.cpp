#include "lib/machine/decode/scalar_widths.h"

#include <algorithm>

#include "lib/machine/code.h"

namespace ropewalk::machine {

u32 ScalarWidths::in_shared(u32 variable) const {
  u32 widest = 0;
  for (const auto& [one, width] : shared) {
    if (one == variable || one == no_value || variable == no_value) widest = std::max(widest, width);
  }
  return widest;
}

ScalarWidths scalar_widths(const Code& code) {
  ScalarWidths widths;
  for (const Step& step : code.steps) {
    if (step.kind != StepKind::Store) continue;
    const MemoryStep& memory = *step.memory;
    const bool is_scalar = memory.element_bytes == 8 || memory.type == ptx::Type::F32;
    if (!is_scalar) continue;
    const bool any = memory.space == MemorySpace::Generic;
    if (any || memory.space == MemorySpace::Local) widths.local = std::max(widths.local, u32(memory.element_bytes));
    // A generic address may lead anywhere, unless it is known to come from a shared variable.
    if (any ? memory.shared_variable == no_value : memory.space != MemorySpace::Shared) continue;
    u32& known = widths.shared[memory.shared_variable];
    known = std::max(known, u32(memory.element_bytes));
  }
  return widths;
}

}  // namespace ropewalk::machine
