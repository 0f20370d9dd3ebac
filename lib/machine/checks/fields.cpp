#include "lib/machine/checks/fields.h"

#include "lib/base/bits.h"

namespace ropewalk::machine {

// The access is performed all the same: the memory is valid, and what it holds may show how the defect spreads.
void FieldsCheck::on_access(const AccessEvent& event, Verdict& verdict) {
  if (!event.window || !event.window->allowed) return;
  if (all_bits(event.window->allowed, u64(event.offset), u64(event.offset) + event.bytes)) return;
  verdict.poison = true;
  if (event.address_taint & poisoned) return;
  event.context.block->collector->report(event.occurrence(Rule::IndexOutOfField));
}

}  // namespace ropewalk::machine
