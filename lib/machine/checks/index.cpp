#include "lib/machine/checks/index.h"

#include <fmt/format.h>

namespace ropewalk::machine {

std::string broken_index_text(const std::string& name, i32 index, i32 bound) {
  return fmt::format("{} is {}, not in [0, {})", name, index, bound);
}

void IndexCheck::on_index(const Context& context, const Step& step, u32 step_index, u32 warp, u32 lane, u32 index,
                          u32 bound) {
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

}  // namespace ropewalk::machine
