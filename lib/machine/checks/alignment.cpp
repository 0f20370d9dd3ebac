#include "lib/machine/checks/alignment.h"

#include <fmt/format.h>

namespace ropewalk::machine {

std::string misalignment_text(u32 bytes, u64 address, u32 wanted) {
  return fmt::format("{} bytes at an address that leaves {} when divided by {}", bytes, address % wanted, wanted);
}

void AlignmentCheck::on_access(const AccessEvent& event, Verdict&) {
  const u64 address = event.window ? event.address : u64(event.offset);
  const u32 wanted = event.aligned_to ? event.aligned_to : event.bytes;
  if (address % wanted == 0 || (event.address_taint & poisoned)) return;
  event.context.block->collector->report(event.occurrence(Rule::MisalignedAccess), [&](Occurrence& example) {
    example.detail = misalignment_text(event.bytes, address, wanted);
  });
}

}  // namespace ropewalk::machine
