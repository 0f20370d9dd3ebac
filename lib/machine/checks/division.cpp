// Integer division by zero. Its result is unspecified (PTX ISA, div and rem), and so it is followed as a value that
// nobody wrote is: what a select or a mask leaves out, or nobody uses, is no finding.
#include <fmt/format.h>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/known_bits.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

bool is_division(const Step& step) {
  return step.flow.kind == BitFlow::Kind::Quotient || step.flow.kind == BitFlow::Kind::Remainder;
}

// Whether one of 32 numbers is zero; 16 bytes at a time, which every processor compares at once.
template <class Type>
bool any_zero(const std::byte* row) {
  typedef Type Some __attribute__((vector_size(16), may_alias));
  auto found = Some{} != Some{};
  for (u32 at = 0; at < lanes_per_warp * sizeof(Type); at += 16)
    found |= *reinterpret_cast<const Some*>(row + at) == Some{};
  return __builtin_bit_cast(unsigned __int128, found) != 0;
}

// Runs the division where no active lane divides by zero. Lanes that are not active may hold anything.
template <class Type>
const Op* divide_by_numbers(Context& context, const Op* op) {
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const std::byte* const row = context.registers + op->b + warp * op->step_b;
    const bool is_uniform = op->step_b == 0;
    if (is_uniform && *reinterpret_cast<const Type*>(row) != 0) break;
    if (!is_uniform && !any_zero<Type>(row)) continue;
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      if (reinterpret_cast<const Type*>(row)[__builtin_ctz(bits)] == 0) return fast_handlers().stop(context, op);
    }
  }
  return reinterpret_cast<Handler>(const_cast<void*>(op->extra))(context, op);
}

Handler division_precheck(const Code& code, const Step& step, bool) {
  if (!is_division(step)) return nullptr;
  const u32 bytes = code.values[step.b].size, constant = code.constant_of[step.b];
  if (constant != no_value && (code.values[constant].constant & bits_mask(8 * bytes)) != 0) return nullptr;
  return bytes == 8 ? divide_by_numbers<u64> : bytes == 4 ? divide_by_numbers<u32> : divide_by_numbers<u16>;
}

void note_divisions_by_zero(const Context& context, const Op* op, LaneSources& sources) {
  const Step& step = context.program->code->steps[op->step];
  Block& block = *context.block;
  if (!block.launch->options.checks.has(Check::Division)) return;
  careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
    if (careful::read_value(context, step.b, warp, lane) != 0) return;
    // A divisor that is undefined itself is that finding, and zero by chance.
    if (context.shadow->mark_of(step.b, warp, lane).bits) return;
    Occurrence out;
    out.rule = Rule::DivisionByZero;
    out.step = op->step;
    out.block = block.number;
    out.thread = context.first_thread + warp * lanes_per_warp + lane;
    out.detail = step.flow.kind == BitFlow::Kind::Quotient ? "quotient" : "remainder";
    sources[warp][lane] = block.unwritten.add(std::move(out));
  });
}

}  // namespace

template <>
const CheckUnit& unit<Check::Division>() {
  static const CheckUnit unit{
      .rules = {{Rule::DivisionByZero, "Integer division by zero",
                 "An integer was divided by zero, and the quotient or remainder was stored, became an address, went "
                 "into an atomic or decided what is done.",
                 "Its value is not specified and differs from one architecture to the next, so that an index made of "
                 "it reaches anywhere and a loop runs for billions of rounds; no device stops at it.",
                 "Usually a count is zero for these arguments: heads per group when there are fewer query heads than "
                 "key heads, a group or page size that the configuration leaves out, or a tile of no rows."}},
      .words =
          [](const Wording& wording) {
            return fmt::format("divides by zero, and the {}, which is unspecified, is used", wording.example.detail);
          },
      .precheck = division_precheck,
      .undefined_results = note_divisions_by_zero,
  };
  return unit;
}

}  // namespace ropewalk::machine
