// 32-bit index arithmetic that overflowed and whose result became an address.
#include <fmt/format.h>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/handlers/fast_memory.h"

namespace ropewalk::machine {

namespace {

class OverflowCheck : public Checker {
 public:
  // The location is that of the arithmetic, for that is what has to be changed; the access says what it led to.
  void on_access(const AccessEvent& event, Verdict&) override {
    if (!(event.address_taint & wrong_address) || event.address_value == no_value) return;
    const Shadow& shadow = *event.context.shadow;
    const auto at = shadow.exact.find(shadow.cell(event.address_value, event.warp, event.lane));
    if (at == shadow.exact.end()) return;
    Occurrence out = event.occurrence(Rule::IndexOverflow);
    out.other_step = event.step_index;
    out.step = at->second.step;
    event.context.block->collector->report(out, [&](Occurrence& example) {
      const Shadow::Exact& exact = at->second;
      example.detail = exact.is_unsigned ? fmt::format("{} does not fit without a sign", exact.without_sign)
                                         : fmt::format("{} does not fit", exact.value);
    });
  }
};

}  // namespace

template <>
const CheckUnit& unit<Check::Overflow>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::IndexOverflow, "32-bit index arithmetic that overflowed",
            "A 32-bit addition, multiplication or shift wrapped around, and its result was used to compute an address.",
            "The address is off by 4 GiB or more: large batches and long contexts crash, or read other data silently.",
            "Usually a row number is multiplied by a stride in int before it is widened, on a tensor of more than 2^31 "
            "elements."}},
      .words =
          [](const Wording& wording) {
            return fmt::format("32-bit index arithmetic overflows: {}, and the result becomes an address in {}",
                               wording.example.detail,
                               wording.access.tensor.empty() ? "no tensor" : wording.access.tensor);
          },
      .listen = listens<OverflowCheck>,
      .is_asked_first = true,
      .precheck =
          [](const Code&, const Step& step, bool is_uniform) {
            return step.overflow_matters ? fast_handlers().overflow(step.calculation, is_uniform) : nullptr;
          },
  };
  return unit;
}

}  // namespace ropewalk::machine
