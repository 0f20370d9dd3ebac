#include "lib/machine/decode/feeds.h"

namespace ropewalk::machine {

namespace {

using Flow = BitFlow::Kind;

// Whether a 32-bit result that wrapped may be wrong because an operand is.
bool keeps_wraps(const Code& code, const Step& step) {
  if (step.arithmetic != 0 || step.is_move) return true;
  switch (step.flow.kind) {
    case Flow::Select:
    case Flow::SelectSign:
    case Flow::Least:
    case Flow::Greatest:
      return true;
    case Flow::Logic: {
      if (step.flow.table != BitFlow::table_of_and || step.e != no_value) return true;
      // Of a constant that is negative the sign, and with it all that is above it, is kept.
      for (const u32 operand : {step.a, step.b}) {
        const u32 constant = code.constant_of[operand];
        if (constant != no_value && i32(u32(code.values[constant].constant)) < 0) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

}  // namespace

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
    for (const u32 address : {step.memory->address, step.memory->source_address}) {
      if (address != no_value && code.values[address].size == 8) visit(address);  // others wrap in their own memory
    }
  }
  while (!open.empty()) {
    const u32 value = open.back();
    open.pop_back();
    for (const u32 s : definitions[value]) {
      Step& step = code.steps[s];
      if (code.values[value].size == 4) {
        if (!keeps_wraps(code, step)) continue;
        if (step.arithmetic != 0 && step.arithmetic != 'x') step.overflow_matters = true;
      }
      for (const u32 input : {step.a, step.b, step.c, step.e}) {
        if (input != no_value && !code.values[input].is_predicate) visit(input);
      }
    }
  }
}

}  // namespace ropewalk::machine
