#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

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
