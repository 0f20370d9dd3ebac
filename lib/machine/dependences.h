// Which operands of which lanes each result of a step is made of.
#pragma once
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/shuffle_source.h"

namespace ropewalk::machine {

namespace detail {

// mma.sync: an element depends on its row of a, its column of b and itself in c.
template <class Body>
void for_matrix_dependences(const ptx::MatrixForm& form, Body body) {
  const u32 of_a = form.registers_of_a(), of_b = form.registers_of_b(),
            elements = ptx::facts_of(form.sum).per_register();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    for (u32 d = 0; d < form.registers_of_sum(); ++d) {
      for (u32 i = 0; i < elements; ++i) {
        const ptx::MatrixIndex at = ptx::index_in_sum(elements, lane, d, i);
        if (i == 0) ptx::for_row_of_a(form, at.row, [&](u32 other, u32 a) { body(lane, d, other, a); });
        ptx::for_column_of_b(form, at.column, [&](u32 other, u32 b) { body(lane, d, other, of_a + b); });
      }
      body(lane, d, lane, of_a + of_b + d);
    }
  }
}

}  // namespace detail

// body(lane, output, other lane, input): the result number `output` of `lane` is made of the operand number `input` of
// the other lane; numbers count in step.outputs and step.inputs. For steps that the lanes of a warp do together, and
// the lanes of one warp that are active.
template <class Body>
void for_dependences(const Context& context, const Step& step, u32 warp, Body body) {
  const u32 active = context.bits[warp];
  const auto each = [&](u32 lanes, auto one) {
    for (u32 bits = lanes; bits; bits &= bits - 1) one(u32(__builtin_ctz(bits)));
  };
  const u32 inputs = u32(step.inputs.size()), outputs = u32(step.outputs.size());
  switch (step.kind) {
    case StepKind::MultiplyMatrix:
      if (active) detail::for_matrix_dependences(step.matrix, body);
      return;
    case StepKind::MoveMatrix:
      // The transpose: row r of lane / 4 == r goes to the lanes that hold its column.
      for (u32 lane = 0; active && lane < lanes_per_warp; ++lane) {
        for (u32 row = lane % 4 * 2; row < lane % 4 * 2 + 2; ++row) body(lane, 0, row * 4 + lane / 4 / 2, 0);
      }
      return;
    case StepKind::Shuffle:
      each(active, [&](u32 lane) {
        const ShuffleSource source = shuffle_source(std::get<ShuffleMode>(step.mode), lane,
                                                    u32(careful::read_value(context, step.inputs[1], warp, lane)),
                                                    u32(careful::read_value(context, step.inputs[2], warp, lane)));
        body(lane, 0, source.lane, 0);
        for (u32 d = 0; d < outputs; ++d) {
          for (u32 i = 1; i < inputs; ++i) body(lane, d, lane, i);
        }
      });
      return;
    case StepKind::Vote:
    case StepKind::Match:
    case StepKind::Reduce:
      // Of the lanes that the last operand names.
      each(active, [&](u32 lane) {
        const u32 members = u32(careful::read_value(context, step.inputs[inputs - 1], warp, lane)) & active;
        for (u32 d = 0; d < outputs; ++d) {
          each(members, [&](u32 other) { body(lane, d, other, 0); });
          body(lane, d, lane, inputs - 1);
        }
      });
      return;
    default:
      each(active, [&](u32 lane) {
        for (u32 d = 0; d < outputs; ++d) {
          for (u32 i = 0; i < inputs; ++i) body(lane, d, lane, i);
        }
      });
  }
}

}  // namespace ropewalk::machine
