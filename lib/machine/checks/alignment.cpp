#include "lib/machine/checks/alignment.h"

#include <fmt/format.h>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"

namespace ropewalk::machine {

namespace {

class AlignmentCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict&) override {
    const u64 address = event.window ? event.address : u64(event.offset);
    const u32 wanted = event.aligned_to ? event.aligned_to : event.bytes;
    if (address % wanted == 0 || event.is_reported_elsewhere()) return;
    event.context.block->collector->report(event.occurrence(Rule::MisalignedAccess), [&](Occurrence& example) {
      example.detail = misalignment_text(event.bytes, address, wanted);
    });
  }
};

}  // namespace

std::string misalignment_text(u32 bytes, u64 address, u32 wanted) {
  return fmt::format("{} bytes at an address that leaves {} when divided by {}", bytes, address % wanted, wanted);
}

template <>
const CheckUnit& unit<Check::Alignment>() {
  static const CheckUnit unit{
      .rules = {{Rule::MisalignedAccess, "Access at an address that its width does not allow",
                 "An access of 2, 4, 8 or 16 bytes was made at an address that is no multiple of that size.",
                 "The GPU stops the kernel with a misaligned address error, and the context is lost.",
                 "Usually a vector load is used on rows whose stride is no multiple of the vector, or on a view that "
                 "starts in the middle of one."}},
      .words =
          [](const Wording& wording) {
            return fmt::format("misaligned access to {}: {}", wording.element(), wording.example.detail);
          },
      .listen = listens<AlignmentCheck>,
  };
  return unit;
}

}  // namespace ropewalk::machine
