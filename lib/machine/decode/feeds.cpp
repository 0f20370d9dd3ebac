#include "lib/machine/decode/feeds.h"

namespace ropewalk::machine {

void mark_address_arithmetic(Code& code) {
  // Backwards from the addresses, over the steps that define a value.
  std::vector<std::vector<u32>> definitions(code.values.size());
  for (u32 s = 0; s < code.steps.size(); ++s) {
    const Step& step = code.steps[s];
    if (step.kind == StepKind::Compute && step.d != no_value) definitions[step.d].push_back(s);
  }
  std::vector<bool> seen(code.values.size(), false);
  std::vector<u32> open;
  const auto visit = [&](u32 value) {
    if (value == no_value || seen[value]) return;
    seen[value] = true;
    open.push_back(value);
  };
  for (const Step& step : code.steps) {
    if (!step.memory) continue;
    visit(step.memory->address);
    visit(step.memory->source_address);
  }
  while (!open.empty()) {
    const u32 value = open.back();
    open.pop_back();
    for (const u32 s : definitions[value]) {
      Step& step = code.steps[s];
      if (code.values[value].size == 4) {
        // Bit operations, divisions and conversions start anew: what they give is meant.
        if (step.arithmetic == 0 && !step.is_move && !step.is_select) continue;
        if (step.arithmetic != 0 && step.arithmetic != 'x') step.overflow_matters = true;
      }
      for (const u32 input : {step.a, step.b, step.c}) {
        if (input != no_value && !code.values[input].is_predicate) visit(input);
      }
    }
  }
}

}  // namespace ropewalk::machine
