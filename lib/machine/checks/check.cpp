#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

bool AccessEvent::is_followed() const {
  if (is_in_block() || is_deferred()) return true;
  return window &&
         (window->scratch || (window->initialized && step.memory->is_strong() && !context.block->launch->judge));
}

Occurrence AccessEvent::occurrence(Rule rule) const {
  Occurrence out;
  out.rule = rule;
  out.step = step_index;
  out.window = window_number;
  out.space = space;
  out.block = context.block->number;
  out.thread = thread();
  out.has_access = true;
  out.offset = offset;
  out.bytes = bytes;
  return out;
}

}  // namespace ropewalk::machine
