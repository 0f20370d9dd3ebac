#include "lib/machine/checks/bounds.h"

#include <fmt/format.h>

namespace ropewalk::machine {

void BoundsCheck::on_access(const AccessEvent& event, Verdict& verdict) {
  const bool nowhere = event.space == MemorySpace::Global && !event.window;
  const bool freed = event.window && event.window->freed;
  const bool inside = event.offset >= 0 && u64(event.offset) + event.bytes <= event.extent;
  if (!nowhere && inside && !freed) {
    if (!(event.is_write() && event.window && event.window->read_only)) return;
  }
  verdict.perform = false;
  // An address that was made of a bad value says nothing new.
  if (!report_ || (event.address_taint & poisoned)) return;
  Occurrence occurrence = event.occurrence(freed && inside ? Rule::UseAfterFree
                                           : event.is_write() ? Rule::OutOfBoundsWrite
                                                              : Rule::OutOfBoundsRead);
  if (nowhere) {
    occurrence.has_access = false;
    occurrence.detail = event.address < 4096 ? fmt::format("address {:#x}: a null pointer", event.address)
                                             : fmt::format("address {:#x} is in no tensor", event.address);
  }
  if (event.address_taint & wrong_address) occurrence.detail = "32-bit index arithmetic overflowed on the way";
  event.context.block->collector->report(occurrence);
}

}  // namespace ropewalk::machine
