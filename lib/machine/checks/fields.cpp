// Accesses inside a tensor that leave the region they were meant for, or fall between its elements.
#include <fmt/format.h>

#include <algorithm>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"

namespace ropewalk::machine {

namespace {

class FieldsCheck : public Checker {
 public:
  // The access is performed all the same: the memory is valid, and what it holds may show how the defect spreads.
  void on_access(const AccessEvent& event, Verdict& verdict) override {
    if (!event.window || is_allowed(*event.window, u64(event.offset), event.bytes)) return;
    verdict.poison = true;
    if (event.is_reported_elsewhere()) return;
    event.context.block->collector->report(event.occurrence(Rule::IndexOutOfField),
                                           [&](Occurrence& example) { example.detail = event.verb(); });
  }
};

}  // namespace

template <>
const CheckUnit& unit<Check::Fields>() {
  static const CheckUnit unit{
      .rules = {{Rule::IndexOutOfField, "Access inside the tensor but outside its region",
                 "A thread touched valid memory that belongs to another part of the tensor than the one it may use: "
                 "another head, the other half of a row, padding, or a page of another sequence.",
                 "No memory checker on a GPU sees it, because the memory is allocated; the kernel quietly mixes data "
                 "of two owners.",
                 "Usually a rotary width runs into the next head, the offset of the sin half is computed from the "
                 "wrong width, or a row stride is taken for a row length."}},
      .words =
          [](const Wording& wording) {
            if (!wording.example.name.empty()) return machine::unit<Check::Index>().words(wording);
            return fmt::format("{} {}, which is {}", wording.verb(), wording.element(), wording.not_in());
          },
      .listen = listens<FieldsCheck>,
      .why_vacuous =
          [](const Launch& launch) {
            const bool some =
                std::ranges::any_of(launch.tensors, [](const auto& tensor) { return !tensor.regions.empty(); });
            return std::string(some ? "" : "no tensor has regions");
          },
  };
  return unit;
}

}  // namespace ropewalk::machine
