#include "lib/machine/decode/undefined.h"

#include "lib/machine/decode/step_values.h"

namespace ropewalk::machine {

namespace {

using Bits = std::vector<u64>;

bool test(const Bits& bits, u32 n) { return (bits[n / 64] >> (n % 64)) & 1u; }
void set(Bits& bits, u32 n) { bits[n / 64] |= u64(1) << (n % 64); }

}  // namespace

std::vector<u32> registers_read_before_written(const Code& code) {
  const u32 blocks = u32(code.flow.blocks.size()), values = u32(code.values.size());
  const u32 words = (values + 63) / 64;
  std::vector<std::vector<u32>> predecessors(blocks);
  for (u32 b = 0; b < blocks; ++b) {
    for (const u32 next : code.flow.blocks[b].successors) predecessors[next].push_back(b);
  }
  // What is written for sure by the end of each block: the meet over predecessors, then what the block writes. A write
  // under a predicate counts for reads under the same predicate, which cannot have changed in between where it is
  // written once.
  std::vector<u32> definitions(values, 0);
  for (const Step& step : code.steps) for_writes(step, [&](u32 value) { ++definitions[value]; });
  std::vector<Bits> at_end(blocks, Bits(words, ~u64(0)));
  const auto at_start = [&](u32 block) {
    Bits bits(words, block == 0 ? 0 : ~u64(0));
    for (const u32 before : predecessors[block]) {
      if (!code.flow.reachable[before]) continue;
      for (u32 w = 0; w < words; ++w) bits[w] &= at_end[before][w];
    }
    return bits;
  };
  const auto for_steps = [&](u32 block, auto body) {
    const ptx::Block& range = code.flow.blocks[block];
    if (range.first >= range.last) return;
    for (u32 s = code.first_step[range.first]; s < code.first_step[range.last]; ++s) body(code.steps[s]);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 block = 0; block < blocks; ++block) {
      if (!code.flow.reachable[block]) continue;
      Bits bits = at_start(block);
      for_steps(block, [&](const Step& step) {
        if (step.predicate == no_value) for_writes(step, [&](u32 value) { set(bits, value); });
      });
      if (bits != at_end[block]) {
        at_end[block] = std::move(bits);
        changed = true;
      }
    }
  }
  // Predicates under which a value is written, for reads under the same predicate.
  std::vector<u32> predicate_of(values, no_value);
  std::vector<bool> predicate_sign(values, false);
  for (const Step& step : code.steps) {
    if (step.predicate == no_value || definitions[step.predicate] != 1) continue;
    for_writes(step, [&](u32 value) {
      if (definitions[value] == 1) {
        predicate_of[value] = step.predicate;
        predicate_sign[value] = step.predicate_negated;
      }
    });
  }
  Bits found(words, 0);
  for (u32 block = 0; block < blocks; ++block) {
    if (!code.flow.reachable[block]) continue;
    Bits bits = at_start(block);
    for_steps(block, [&](const Step& step) {
      for_reads(step, [&](u32 value) {
        const auto source = code.values[value].source;
        if (source != Value::Source::Register && source != Value::Source::Temporary) return;
        if (test(bits, value)) return;
        const bool same_predicate = step.predicate != no_value && value != step.predicate &&
                                    predicate_of[value] == step.predicate &&
                                    predicate_sign[value] == step.predicate_negated;
        if (!same_predicate) set(found, value);
      });
      if (step.predicate == no_value) for_writes(step, [&](u32 value) { set(bits, value); });
    });
  }
  std::vector<u32> out;
  for (u32 value = 0; value < values; ++value) {
    if (test(found, value)) out.push_back(value);
  }
  return out;
}

}  // namespace ropewalk::machine
