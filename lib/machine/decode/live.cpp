#include "lib/machine/decode/live.h"

#include <algorithm>

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

using Bits = std::vector<u64>;

void set(Bits& bits, u32 n) { bits[n / 64] |= u64(1) << (n % 64); }
void clear(Bits& bits, u32 n) { bits[n / 64] &= ~(u64(1) << (n % 64)); }

template <class Body>
void for_bits(const Bits& bits, Body body) {
  for (u32 w = 0; w < bits.size(); ++w) {
    for (u64 left = bits[w]; left; left &= left - 1) body(w * 64 + u32(__builtin_ctzll(left)));
  }
}

// The steps [first, last) of a block.
struct Steps {
  u32 first = 0, last = 0;
};

Steps steps_of(const Code& code, const ptx::Block& block) {
  if (block.first >= block.last) return {};
  return {code.first_step[block.first], code.first_step[block.last]};
}

// What is alive at the start of a block, from what is alive at its end.
void go_back(const Code& code, const Steps& steps, Bits& live) {
  for (u32 s = steps.last; s-- > steps.first;) {
    const Step& step = code.steps[s];
    if (step.predicate == no_value) for_writes(step, [&](u32 value) { clear(live, value); });
    for_reads(step, [&](u32 value) { set(live, value); });
  }
}

bool reads_until_it_writes(const Step& step) {
  u32 written = 0;
  for_writes(step, [&](u32) { ++written; });
  return step.kind != StepKind::Compute || written > 1;
}

}  // namespace

std::vector<LiveRange> live_ranges(const Code& code) {
  const auto& blocks = code.flow.blocks;
  const u32 words = u32(code.values.size() + 63) / 64;
  std::vector<Bits> at_start(blocks.size(), Bits(words, 0)), at_end = at_start;
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 b = u32(blocks.size()); b-- > 0;) {
      Bits& end = at_end[b];
      for (const u32 next : blocks[b].successors) {
        for (u32 w = 0; w < words; ++w) end[w] |= at_start[next][w];
      }
      Bits live = end;
      go_back(code, steps_of(code, blocks[b]), live);
      if (live == at_start[b]) continue;
      at_start[b] = std::move(live);
      changed = true;
    }
  }

  std::vector<LiveRange> ranges(code.values.size());
  const auto reach = [&](u32 value, u32 point) {
    ranges[value].first = std::min(ranges[value].first, point);
    ranges[value].last = std::max(ranges[value].last, point);
  };
  for (u32 b = 0; b < blocks.size(); ++b) {
    const Steps steps = steps_of(code, blocks[b]);
    if (steps.first == steps.last) continue;
    for_bits(at_start[b], [&](u32 value) { reach(value, 2 * steps.first); });
    for_bits(at_end[b], [&](u32 value) { reach(value, 2 * steps.last - 1); });
    for (u32 s = steps.first; s < steps.last; ++s) {
      const Step& step = code.steps[s];
      const u32 late = reads_until_it_writes(step) ? 1 : 0;
      for_reads(step, [&](u32 value) { reach(value, 2 * s + late); });
      for_writes(step, [&](u32 value) { reach(value, 2 * s + 1); });
    }
  }
  return ranges;
}

}  // namespace ropewalk::machine
