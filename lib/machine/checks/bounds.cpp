#include "lib/machine/checks/bounds.h"

#include <fmt/format.h>

namespace ropewalk::machine {

std::string no_tensor_text(u64 address) {
  return address < 4096 ? fmt::format("address {:#x}: a null pointer", address)
                        : fmt::format("address {:#x} is in no tensor", address);
}

void BoundsCheck::on_access(const AccessEvent& event, Verdict& verdict) {
  const bool nowhere = event.space == MemorySpace::Global && !event.window;
  const bool freed = event.window && event.window->freed;
  const bool inside = event.offset >= event.start && u64(event.offset) + event.bytes <= event.extent;
  if (!nowhere && inside && !freed) {
    if (!(event.is_write() && event.window && event.window->read_only)) return;
  }
  verdict.perform = false;
  // An address that was made of a bad value says nothing new.
  if (!report_ || (event.address_taint & poisoned)) return;
  Occurrence occurrence = event.occurrence(freed && inside ? Rule::UseAfterFree
                                           : event.is_write() ? Rule::OutOfBoundsWrite
                                                              : Rule::OutOfBoundsRead);
  if (event.space == MemorySpace::Shared) occurrence.variable = event.step.memory->shared_variable;
  if (nowhere) {
    occurrence.has_access = false;
  }
  event.context.block->collector->report(occurrence, [&](Occurrence& example) {
    if (nowhere) example.detail = no_tensor_text(event.address);
    if (event.address_taint & wrong_address) example.detail = "32-bit index arithmetic overflowed on the way";
  });
}

}  // namespace ropewalk::machine
