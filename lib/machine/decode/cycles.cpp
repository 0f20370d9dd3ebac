#include "lib/machine/decode/cycles.h"

#include <algorithm>

#include "lib/machine/decode/step_values.h"
#include "lib/ptx/components.h"

namespace ropewalk::machine {

namespace {

// The last one first: what a step is given is computed before it, as a rule.
template <class Body>
void for_steps(const Code& code, const std::vector<u32>& blocks, Body body) {
  for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
    const ptx::Block& block = code.flow.blocks[*b];
    for (u32 s = code.first_step[block.last]; s-- > code.first_step[block.first];) body(code.steps[s]);
  }
}

// What branches, memory and other lanes are given in these blocks, and what that is computed from there.
std::vector<u32> deciding_values(const Code& code, const std::vector<u32>& blocks) {
  std::vector<bool> decides(code.values.size(), false);
  std::vector<u32> out;
  const auto add = [&](u32 value) {
    if (!decides[value]) out.push_back(value);
    decides[value] = true;
  };
  for_steps(code, blocks, [&](const Step& step) {
    if (step.kind != StepKind::Compute) for_reads(step, add);
  });
  for (u64 known = 0; known != out.size();) {
    known = out.size();
    for_steps(code, blocks, [&](const Step& step) {
      bool is_needed = false;
      for_writes(step, [&](u32 value) { is_needed |= decides[value]; });
      if (is_needed) for_reads(step, add);
    });
  }
  return out;
}

}  // namespace

std::vector<Cycle> cycles_of(const Code& code) {
  const ptx::Edges edges = ptx::edges_of(code.flow);
  const std::vector<u32> component = ptx::components_of(edges);
  std::vector<Cycle> cycles(edges.size());
  for (u32 block = 0; block + 1 < edges.size(); ++block) {
    if (!edges[block].empty()) cycles[component[block]].blocks.push_back(block);
  }
  std::erase_if(cycles, [&](const Cycle& it) {
    return it.blocks.empty() || (it.blocks.size() == 1 && std::ranges::count(edges[it.blocks[0]], it.blocks[0]) == 0);
  });
  for (Cycle& it : cycles) it.deciding = deciding_values(code, it.blocks);
  return cycles;
}

std::vector<bool> values_of_time(const Code& code) {
  if (!code.reads_clock || code.local_bytes != 0) return {};
  std::vector<bool> out(code.values.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Step& step : code.steps) {
      if (step.kind != StepKind::Compute) continue;
      bool is_of_time = step.is_clock;
      for (const u32 value : {step.a, step.b, step.is_select() ? no_value : step.c, step.e})
        is_of_time |= value != no_value && out[value];
      if (!is_of_time) continue;
      for_writes(step, [&](u32 value) {
        changed |= !out[value];
        out[value] = true;
      });
    }
  }
  return out;
}

}  // namespace ropewalk::machine
