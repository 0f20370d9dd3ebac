#include "lib/machine/checks/index.h"

#include <fmt/format.h>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"

namespace ropewalk::machine {

namespace {

class IndexCheck : public Checker {
 public:
  void on_index(const Context& context, const Step& step, u32 step_index, u32 warp, u32 lane, u32 index,
                u32 bound) override {
    if (i32(index) >= 0 && i32(index) < i32(bound)) return;
    Occurrence out;
    out.rule = Rule::IndexOutOfField;
    out.step = step_index;
    out.block = context.block->number;
    out.thread = context.first_thread + warp * lanes_per_warp + lane;
    out.name = step.text;
    context.block->collector->report(
        out, [&](Occurrence& example) { example.detail = broken_index_text(step.text, i32(index), i32(bound)); });
  }
};

}  // namespace

std::string broken_index_text(const std::string& name, i32 index, i32 bound) {
  return fmt::format("{} is {}, not in [0, {})", name, index, bound);
}

// Its rule is that of the check of fields.
template <>
const CheckUnit& unit<Check::Index>() {
  static const CheckUnit unit{
      .words =
          [](const Wording& wording) {
            return fmt::format("breaks its own index statement: {}", wording.example.detail);
          },
      .listen = listens<IndexCheck>,
  };
  return unit;
}

}  // namespace ropewalk::machine
