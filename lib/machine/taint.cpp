#include "lib/machine/taint.h"

#include <algorithm>

#include "lib/machine/block.h"
#include "lib/machine/decode/step_values.h"
#include "lib/machine/dependences.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/known_differences.h"
#include "lib/machine/known_ranges.h"
#include "lib/machine/overflow.h"
#include "lib/machine/unknown_bits.h"

namespace ropewalk::machine {

using careful::computed_source;
using careful::joined;
using careful::source_of;

namespace {

constexpr u8 not_trusted = poisoned | undefined;

// Sources of a lane's operands, each once. A value made of more than this has one source for all.
constexpr u32 most_sources = 8;
struct Sources {
  u32 source[most_sources] = {};
  u32 count = 0;
  bool too_many = false;

  void add(u32 one) {
    if (one == UnwrittenReads::none || std::find(source, source + count, one) != source + count) return;
    if (count == most_sources)
      too_many = true;
    else
      source[count++] = one;
  }
};

// The computation of a step in the lanes of one warp that have an operand which is not to be trusted.
class Propagation {
 public:
  Propagation(Context& context, const Step& step, u32 warp)
      : context_(context), block_(*context.block), shadow_(*context.shadow), step_(step), warp_(warp) {}

  void run() {
    const u32 values[] = {step_.a, step_.b, step_.c, step_.e};
    u32 lanes = 0;
    for (u32 n = 0; n < 4; ++n) {
      if (values[n] == no_value || !shadow_.has(values[n], warp_, not_trusted)) continue;
      marked_[n] = true;
      const u8* row = shadow_.taint(values[n], warp_);
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) lanes |= u32((row[lane] & not_trusted) != 0) << lane;
    }
    lanes &= context_.bits[warp_];
    if (step_.flow.kind == BitFlow::Kind::Whole)
      whole(values, lanes);
    else
      bitwise(values, lanes);
    if (!keeps_numbers(step_)) return;
    for (u32 bits = lanes; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      if (results_[lane].bits == 0) continue;
      const Difference difference = difference_of(context_, step_, warp_, lane);
      bases_[lane] = difference.base;
      if (difference.base == 0 && !difference.is_known) ranges_[lane] = range_after(context_, step_, warp_, lane);
      if (difference.is_known || ranges_[lane].is_known) results_[lane] = {};
    }
  }

  // After run(): the result's marks in place of what was known of it. `kept` are taints that are no marks.
  void put(const u8 (&kept)[lanes_per_warp]) {
    u8* taints = shadow_.taint(step_.d, warp_);
    const bool is_copy = step_.is_move || step_.is_select() || step_.flow.is_copy;
    for (u32 bits = context_.bits[warp_]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      if (!is_copy) {
        whole_[lane] = block_.unwritten.computed(whole_[lane]);
        for (u32 byte = 0; byte < 8; ++byte) {
          u32& source = results_[lane].sources[byte];
          if (!((copied_[lane] >> byte) & 1)) source = block_.unwritten.computed(source);
        }
      }
      if (whole_[lane] != UnwrittenReads::none)
        shadow_.set_whole(step_.d, warp_, lane, whole_[lane]);
      else if (results_[lane].bits)
        shadow_.set(step_.d, warp_, lane, results_[lane]);
      else
        taints[lane] = clean;
      if (bases_[lane]) shadow_.set_base(step_.d, warp_, lane, bases_[lane]);
      if (ranges_[lane].range) set_range(context_, step_.d, warp_, lane, *ranges_[lane].range);
      if (kept[lane]) shadow_.add(step_.d, warp_, lane, kept[lane]);
    }
  }

 private:
  void whole(const u32 (&values)[4], u32 lanes) {
    for (u32 bits = lanes; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      for (u32 n = 0; n < 4; ++n) {
        if (!marked_[n]) continue;
        u32 source = UnwrittenReads::none;
        if (!shadow_.is_whole(values[n], warp_, lane, source))
          source = source_of(block_, shadow_.mark_of(values[n], warp_, lane));
        whole_[lane] = block_.unwritten.join(whole_[lane], source);
      }
    }
  }

  void bitwise(const u32 (&values)[4], u32 lanes) {
    if (lanes == 0) return;
    LaneBits known;
    Mark marks[4][lanes_per_warp];
    Sources sources[lanes_per_warp];
    u32 mixed = 0;  // lanes with several sources
    for (u32 bits = lanes; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      for (u32 n = 0; n < 4; ++n) {
        if (values[n] == no_value) continue;
        known.operands[n][lane].value = careful::read_value(context_, values[n], warp_, lane);
        if (!marked_[n]) continue;
        marks[n][lane] = shadow_.mark_of(values[n], warp_, lane);
        known.operands[n][lane].unknown = marks[n][lane].bits;
        for (const u32 source : marks[n][lane].sources) sources[lane].add(source);
      }
      if (sources[lane].count > 1) mixed |= 1u << lane;
    }
    u64 unknown[lanes_per_warp];
    unknown_bits(*context_.program->code, step_, known, lanes, unknown);
    for (u32 bits = lanes; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      results_[lane].bits = unknown[lane] & bits_mask(8 * context_.program->code->values[step_.d].size);
      note_copied(known, lane);
      if (!((mixed >> lane) & 1u)) add_source(lane, results_[lane].bits, sources[lane].source[0]);
    }
    tell_apart(marks, known, sources, mixed);
  }

  // Words are put together of bytes by `or`, and taken apart by `and`: beside a byte of zeros, or of ones, a byte is as
  // it was.
  void note_copied(const LaneBits& known, u32 lane) {
    copied_[lane] |= u8(bits_mask(step_.flow.copied_bytes));
    const u8 table = step_.flow.table;
    const bool puts_together = table == BitFlow::table_of_or || table == BitFlow::table_of_xor;
    const bool takes_apart = table == BitFlow::table_of_and;
    const bool may_copy = puts_together || takes_apart;
    if (step_.flow.kind != BitFlow::Kind::Logic || !may_copy || step_.b == no_value || step_.c != no_value) return;
    for (u32 byte = 0; byte < 8; ++byte) {
      const auto leaves_other = [&](KnownBits it) {
        return takes_apart ? (it.least() >> (8 * byte) & 0xff) == 0xff : (it.most() >> (8 * byte) & 0xff) == 0;
      };
      if (leaves_other(known.operands[0][lane]) || leaves_other(known.operands[1][lane]))
        copied_[lane] |= u8(1u << byte);
    }
  }

  // Which bytes of the results come from which of several sources: those that are unknown where only that is.
  void tell_apart(const Mark (&marks)[4][lanes_per_warp], LaneBits known, const Sources (&sources)[lanes_per_warp],
                  u32 mixed) {
    for (u32 round = 0; round < most_sources; ++round) {
      u32 lanes = 0;
      for (u32 bits = mixed; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        if (round >= sources[lane].count || results_[lane].bits == 0) continue;
        lanes |= 1u << lane;
        for (u32 n = 0; n < 4; ++n) {
          u64 of_source = 0;
          for (u32 byte = 0; byte < 8; ++byte) {
            if (marks[n][lane].sources[byte] == sources[lane].source[round]) of_source |= u64(0xff) << (8 * byte);
          }
          known.operands[n][lane].unknown = marks[n][lane].bits & of_source;
        }
      }
      if (lanes == 0) break;
      u64 unknown[lanes_per_warp];
      unknown_bits(*context_.program->code, step_, known, lanes, unknown);
      for (u32 bits = lanes; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        add_source(lane, unknown[lane] & results_[lane].bits, sources[lane].source[round]);
      }
    }
    // What no source explains alone comes from all of them.
    for (u32 bits = mixed; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      u64 unexplained = 0;
      for (u32 byte = 0; byte < 8; ++byte) {
        if (results_[lane].sources[byte] == UnwrittenReads::none || sources[lane].too_many)
          unexplained |= results_[lane].bits & u64(0xff) << (8 * byte);
      }
      if (unexplained == 0) continue;
      u32 all = UnwrittenReads::none;
      for (u32 n = 0; n < 4; ++n) all = block_.unwritten.join(all, source_of(block_, marks[n][lane]));
      add_source(lane, unexplained, all);
    }
  }

  void add_source(u32 lane, u64 unknown, u32 source) {
    for (u32 byte = 0; byte < 8; ++byte) {
      u32& known = results_[lane].sources[byte];
      if ((unknown >> (8 * byte)) & 0xff) known = block_.unwritten.join(known, source);
    }
  }

  Context& context_;
  Block& block_;
  Shadow& shadow_;
  const Step& step_;
  const u32 warp_;
  bool marked_[4] = {};
  Mark results_[lanes_per_warp];
  u8 copied_[lanes_per_warp] = {};  // of results, a bit each: bytes that are one of an operand
  u32 bases_[lanes_per_warp] = {};  // known_differences.h
  RangeOfResult ranges_[lanes_per_warp];
  u32 whole_[lanes_per_warp] = {};  // source of a result that is wholly of it; none: see results_
};

void propagate_computed(Context& context, const Step& step) {
  Shadow& shadow = *context.shadow;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    u8 of_operands = 0;
    for (const u32 input : {step.a, step.b, step.c, step.e}) {
      if (input == no_value) continue;
      if (shadow.has(input, warp, not_trusted)) of_operands |= not_trusted;
      if (shadow.has(input, warp, any_wrap)) of_operands |= any_wrap;
    }
    if (of_operands == 0) {
      if (!shadow.has(step.d, warp, 0xff)) continue;
      u8* taints = shadow.taint(step.d, warp);
      for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) taints[__builtin_ctz(bits)] = clean;
      continue;
    }
    u8 wraps[lanes_per_warp] = {};
    if (of_operands & any_wrap) propagate_wraps(context, step, warp, wraps);
    Propagation propagation(context, step, warp);
    if (of_operands & not_trusted) propagation.run();
    propagation.put(wraps);
  }
}

// The result of a vote: each bit is one lane's, or some lane that is known decides it for all.
Mark voted(const Context& context, const Step& step, u32 warp, u32 members) {
  const Shadow& shadow = *context.shadow;
  Block& block = *context.block;
  Mark mark;
  const auto mode = std::get<VoteMode>(step.mode);
  bool some_holds = false, some_does_not = false;
  u32 all = UnwrittenReads::none;
  for (u32 bits = members; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    const u32 source = computed_source(block, shadow.mark_of(step.inputs[0], warp, lane));
    if (source == UnwrittenReads::none) {
      (careful::read_value(context, step.inputs[0], warp, lane) ? some_holds : some_does_not) = true;
      continue;
    }
    all = block.unwritten.join(all, source);
    if (mode != VoteMode::Ballot) continue;
    mark.bits |= u64(1) << lane;
    mark.sources[lane / 8] = block.unwritten.join(mark.sources[lane / 8], source);
  }
  if (mode == VoteMode::Ballot || all == UnwrittenReads::none) return mark;
  const bool is_decided = mode == VoteMode::Any   ? some_holds
                          : mode == VoteMode::All ? some_does_not
                                                  : some_holds && some_does_not;
  return is_decided ? Mark() : careful::whole_mark(all);
}

// The result of redux.sync.
Mark reduced_over(const Context& context, const Step& step, u32 warp, u32 members) {
  Block& block = *context.block;
  const auto* const of_integers = std::get_if<LaneReduction>(&step.mode);
  const LaneReduction operation = of_integers ? *of_integers : LaneReduction::Add;
  KnownBits total;
  Mark mark;
  bool is_first = true;
  for (u32 bits = members; bits; bits &= bits - 1, is_first = false) {
    const u32 lane = u32(__builtin_ctz(bits));
    const Mark one = context.shadow->mark_of(step.inputs[0], warp, lane);
    const KnownBits operand{careful::read_value(context, step.inputs[0], warp, lane), one.bits};
    const u32 source = computed_source(block, one);
    for (u32& known : mark.sources) known = block.unwritten.join(known, source);
    const bool is_signed = step.immediate != 0;
    if (is_first)
      total = operand;
    else if (operation == LaneReduction::Add)
      total = sum(total, operand, {}, 32);
    else if (operation == LaneReduction::Min)
      total = least(total, operand, 32, is_signed);
    else if (operation == LaneReduction::Max)
      total = greatest(total, operand, 32, is_signed);
    else
      total = logic(operation == LaneReduction::And  ? BitFlow::table_of_and
                    : operation == LaneReduction::Or ? BitFlow::table_of_or
                                                     : BitFlow::table_of_xor,
                    total, operand, {}, 32);
  }
  // Of floats any bit may decide which is the result.
  mark.bits = of_integers || total.unknown == 0 ? total.unknown : 0xffffffffu;
  return mark;
}

// The result of match.sync: with any, a bit for each lane that has this lane's value; with all, whether all have it.
Mark matched(const Context& context, const Step& step, u32 warp, u32 lane, u32 members) {
  Block& block = *context.block;
  const u32 value = step.inputs[0];
  const auto known_of = [&](u32 of_lane, u32& source) {
    const Mark mark = context.shadow->mark_of(value, warp, of_lane);
    source = computed_source(block, mark);
    return KnownBits{careful::read_value(context, value, warp, of_lane), mark.bits};
  };
  u32 own_source = UnwrittenReads::none, all = UnwrittenReads::none;
  const KnownBits own = known_of(lane, own_source);
  Mark mark;
  u64 ones = 0, zeros = 0;  // that some value surely has
  for (u32 bits = members; bits; bits &= bits - 1) {
    const u32 other = u32(__builtin_ctz(bits));
    u32 source = UnwrittenReads::none;
    const KnownBits its = known_of(other, source);
    all = block.unwritten.join(all, source);
    ones |= its.value & ~its.unknown;
    zeros |= ~its.value & ~its.unknown;
    const u64 unknown = own.unknown | its.unknown;
    if (other == lane || unknown == 0 || ((own.value ^ its.value) & ~unknown) != 0) continue;
    mark.bits |= u64(1) << other;
    u32& of_byte = mark.sources[other / 8];
    of_byte = block.unwritten.join(of_byte, block.unwritten.join(own_source, source));
  }
  if (std::get<MatchMode>(step.mode) == MatchMode::Any) return mark;
  return (ones & zeros) ? Mark() : careful::whole_mark(all);
}

void propagate_over_members(Context& context, const Step& step, u32 warp) {
  Shadow& shadow = *context.shadow;
  const u32 inputs = u32(step.inputs.size()), active = context.bits[warp];
  if (!shadow.has(step.inputs[0], warp, not_trusted) && !shadow.has(step.inputs[inputs - 1], warp, not_trusted)) {
    for (const u32 output : step.outputs) {
      for (u32 bits = active; bits; bits &= bits - 1) shadow.set(output, warp, u32(__builtin_ctz(bits)), {});
    }
    return;
  }
  Mark marks[lanes_per_warp];
  for (u32 bits = active; bits; bits &= bits - 1) {
    const u32 lane = u32(__builtin_ctz(bits));
    const u32 members = u32(careful::read_value(context, step.inputs[inputs - 1], warp, lane)) & active;
    Mark& mark = marks[lane];
    if (step.kind == StepKind::Vote) {
      mark = voted(context, step, warp, members);
    } else if (step.kind == StepKind::Reduce) {
      mark = reduced_over(context, step, warp, members);
    } else {
      mark = matched(context, step, warp, lane, members);
    }
    const u32 of_members = computed_source(*context.block, shadow.mark_of(step.inputs[inputs - 1], warp, lane));
    mark = joined(*context.block, mark, careful::whole_mark(of_members));
  }
  for (const u32 output : step.outputs) {
    for (u32 bits = active; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      shadow.set(output, warp, lane, marks[lane]);
    }
  }
}

// mma.sync: an element is made of its row of a, its column of b and itself in c.
void propagate_matrix(Context& context, const Step& step, u32 warp) {
  Shadow& shadow = *context.shadow;
  Block& block = *context.block;
  const ptx::MatrixForm& form = step.matrix;
  const u32 of_a = form.registers_of_a(), of_b = form.registers_of_b(), of_sum = form.registers_of_sum();
  const auto source = [&](ptx::MatrixElement element, u32 input, u32 lane) {
    const Mark mark = shadow.mark_of(step.inputs[input], warp, lane);
    const ptx::MatrixElementFacts facts = ptx::facts_of(element);
    if (facts.per_register() == 1 && (mark.bits & facts.read) == 0) return UnwrittenReads::none;
    return computed_source(block, mark);
  };
  u32 rows[16] = {}, columns[8] = {};
  for (u32 row = 0; row < form.shape().rows; ++row) {
    ptx::for_row_of_a(form, row,
                      [&](u32 lane, u32 a) { rows[row] = block.unwritten.join(rows[row], source(form.a, a, lane)); });
  }
  for (u32 column = 0; column < 8; ++column) {
    ptx::for_column_of_b(form, column, [&](u32 lane, u32 b) {
      columns[column] = block.unwritten.join(columns[column], source(form.b, of_a + b, lane));
    });
  }
  const ptx::MatrixElementFacts sum = ptx::facts_of(form.sum);
  const u32 width = sum.bits / 8;
  Mark marks[4][lanes_per_warp];
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    for (u32 d = 0; d < of_sum; ++d) {
      const Mark c = shadow.mark_of(step.inputs[of_a + of_b + d], warp, lane);
      for (u32 i = 0; i < sum.per_register(); ++i) {
        const ptx::MatrixIndex at = ptx::index_in_sum(sum.per_register(), lane, d, i);
        const u32 of_factors = block.unwritten.join(rows[at.row], columns[at.column]);
        const u32 all = block.unwritten.join(of_factors, computed_source(block, careful::part_of(c, i * width, width)));
        const Mark one = careful::part_of(careful::whole_mark(all), 0, width);
        marks[d][lane] = joined(block, marks[d][lane], careful::placed(one, i * width));
      }
    }
  }
  for (u32 d = 0; d < of_sum; ++d) {
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) shadow.set(step.outputs[d], warp, lane, marks[d][lane]);
  }
}

// movmatrix: the halves are exchanged.
void propagate_transposed(Context& context, const Step& step, u32 warp) {
  Mark marks[lanes_per_warp];
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    for (u32 half = 0; half < 2; ++half) {
      const u32 from = (lane % 4 * 2 + half) * 4 + lane / 4 / 2;
      const Mark one = careful::part_of(context.shadow->mark_of(step.inputs[0], warp, from), lane / 4 % 2 * 2, 2);
      marks[lane] = joined(*context.block, marks[lane], careful::placed(one, 2 * half));
    }
  }
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) context.shadow->set(step.outputs[0], warp, lane, marks[lane]);
}

// What each result is made of is wholly unknown where something of that is; shfl moves its value as it is.
void propagate_across_lanes(Context& context, const Step& step, u32 warp) {
  Block& block = *context.block;
  Mark results[4][lanes_per_warp];
  Shadow::Wrap wraps[lanes_per_warp];
  u32 bases[lanes_per_warp] = {};
  for_dependences(context, step, warp, [&](u32 lane, u32 output, u32 other, u32 input) {
    const bool is_moved = step.kind == StepKind::Shuffle && input == 0;
    if (is_moved && output == 0) wraps[lane] = context.shadow->wrap_of(step.inputs[input], warp, other);
    const Mark mark = context.shadow->mark_of(step.inputs[input], warp, other);
    if (mark.bits == 0) return;
    if (output == 0) bases[lane] = is_moved ? base_of(context, step.inputs[input], warp, other) : 0;
    Mark& result = results[output][lane];
    result = joined(block, result, is_moved ? mark : careful::whole_mark(computed_source(block, mark)));
  });
  for (u32 output = 0; output < step.outputs.size(); ++output) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      context.shadow->set(step.outputs[output], warp, lane, results[output][lane]);
      if (output != 0) continue;
      if (bases[lane]) context.shadow->set_base(step.outputs[0], warp, lane, bases[lane]);
      context.shadow->add_wrap(step.outputs[0], warp, lane, wraps[lane]);
    }
  }
}

}  // namespace

void propagate_marks(Context& context, const Step& step) {
  if (step.kind == StepKind::Compute) return propagate_computed(context, step);
  if (step.outputs.empty()) return;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    switch (step.kind) {
      case StepKind::MultiplyMatrix:
        propagate_matrix(context, step, warp);
        break;
      case StepKind::MoveMatrix:
        propagate_transposed(context, step, warp);
        break;
      case StepKind::Vote:
      case StepKind::Match:
      case StepKind::Reduce:
        propagate_over_members(context, step, warp);
        break;
      default:
        propagate_across_lanes(context, step, warp);
    }
  }
}

void mark_predicated(Context& context, const Step& step, const u32 (&active)[max_warps]) {
  Shadow& shadow = *context.shadow;
  Block& block = *context.block;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (active[warp] == 0 || !shadow.has(step.predicate, warp, not_trusted)) continue;
    for (u32 bits = active[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      const u32 predicate = computed_source(block, shadow.mark_of(step.predicate, warp, lane));
      if (predicate == UnwrittenReads::none) continue;
      for_writes(step, [&](u32 value) {
        shadow.set(value, warp, lane, joined(block, shadow.mark_of(value, warp, lane), careful::whole_mark(predicate)));
      });
    }
  }
}

}  // namespace ropewalk::machine
