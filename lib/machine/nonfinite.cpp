#include "lib/machine/nonfinite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/dependences.h"
#include "lib/machine/known_bits.h"
#include "lib/machine/launch_state.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::machine {

namespace {

using ptx::Type;

// How the bits of a value are to be read: as so many elements, from the low bits on.
struct Format {
  ptx::MatrixElementFacts element;
  u32 count = 0;  // 0: it is no float
};

Format format_of(ptx::MatrixElement element) {
  const ptx::MatrixElementFacts facts = ptx::facts_of(element);
  return {facts, facts.is_float() ? facts.per_register() : 0};
}

Format format_of(Type type) {
  using enum ptx::MatrixElement;
  switch (type) {
    case Type::None:
      return {};
    case Type::F64:
      return {ptx::facts_of(F64), 1};
    case Type::F16:
    case Type::F16x2:
      return {ptx::facts_of(F16), type == Type::F16 ? 1u : 2u};
    case Type::BF16:
    case Type::BF16x2:
      return {ptx::facts_of(BF16), type == Type::BF16 ? 1u : 2u};
    default:
      return {ptx::facts_of(F32), 1};
  }
}

// Whether some element, without its sign, is at least so large.
bool reaches(u64 bits, const Format& format, u64 first) {
  const u32 width = format.element.bits;
  for (u32 n = 0; n < format.count; ++n) {
    if (((bits >> (n * width)) & format.element.read & bits_mask(width - 1)) >= first) return true;
  }
  return false;
}
bool is_nonfinite(u64 bits, const Format& format) { return reaches(bits, format, format.element.first_nonfinite); }
bool is_nan(u64 bits, const Format& format) { return reaches(bits, format, format.element.first_nan); }

// How an operand of this step is to be read: conversions read another type than they give.
Format operand_format(const Context& context, const Step& step, u32 value) {
  if (step.result_float == Type::None || context.program->code->values[value].is_predicate) return {};
  const ptx::Opcode& opcode =
      context.program->code->module->opcodes[context.program->code->instruction_of(step).opcode];
  if (opcode.op != "cvt"_op) return format_of(step.result_float);
  const Type last = ptx::type_named(opcode.modifiers.back());
  const u32 size = context.program->code->values[value].size;
  const bool is_float = last == Type::F32 || last == Type::F64 || last == Type::F16 || last == Type::BF16;
  return format_of(is_float && ptx::size_of(last) <= size ? last : Type::None);
}

// The same of a step with several inputs, by the number of one.
Format input_format(const Context& context, const Step& step, u32 input) {
  if (step.kind != StepKind::MultiplyMatrix) return operand_format(context, step, step.inputs[input]);
  const u32 of_a = step.matrix.registers_of_a(), of_factors = of_a + step.matrix.registers_of_b();
  return format_of(input < of_a ? step.matrix.a : input < of_factors ? step.matrix.b : step.matrix.sum);
}

Format result_format(const Step& step) {
  return step.kind == StepKind::MultiplyMatrix ? format_of(step.matrix.sum) : format_of(step.result_float);
}

void add_operand(const Context& context, u32 value, u32 warp, u32 lane, const Format& format,
                 OriginNotes::Result& result) {
  const u64 origin = context.shadow->origins[context.shadow->cell(value, warp, lane)];
  if (origin && !result.carried) result.carried = origin;
  if (format.count == 0) return;
  const u64 bits = careful::read_value(context, value, warp, lane);
  if (is_nan(bits, format)) {
    result.operand_nan = true;
    if (!result.carried_nan) result.carried_nan = origin;
  }
  result.operand_nonfinite |= is_nonfinite(bits, format);
}

// Where the origins of the bytes of an access are kept, and under which key.
std::unordered_map<u64, u64>& map_of(const AccessEvent& event) {
  return event.is_in_block() ? event.context.block->origins : event.context.block->launch->origins;
}
u64 key_of(const AccessEvent& event, u32 byte) {
  return event.is_in_block() ? event.byte_in_block(byte) : event.address + byte;
}

}  // namespace

u64 pack_origin(const Origin& origin) {
  return u64(origin.step + 1) << 40 | (origin.block & 0x3fffffff) << 10 | origin.thread;
}

Origin unpack_origin(u64 packed) { return {u32(packed >> 40) - 1, packed >> 10 & 0x3fffffff, u32(packed & 0x3ff)}; }

OriginNotes before_float(const Context& context, const Step& step) {
  const bool compute = step.kind == StepKind::Compute;
  const u32 lanes = context.lane_count();
  OriginNotes notes;
  notes.results.resize(lanes * (compute ? 1 : step.outputs.size()));
  if (compute) {
    struct Input {
      u32 value;
      Format format;
    };
    std::array<Input, 4> inputs;
    u32 count = 0;
    for (const u32 input : {step.a, step.b, step.c, step.e}) {
      if (input != no_value) inputs[count++] = {input, operand_format(context, step, input)};
    }
    careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
      OriginNotes::Result& result = notes.results[warp * lanes_per_warp + lane];
      // What is not chosen is not looked at.
      const bool holds = step.is_select() && careful::read_value(context, step.c, warp, lane) != 0;
      for (u32 n = 0; n < count; ++n) {
        if (step.is_select() && inputs[n].value != (holds ? step.a : step.b)) continue;
        add_operand(context, inputs[n].value, warp, lane, inputs[n].format, result);
      }
    });
    return notes;
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for_dependences(context, step, warp, [&](u32 lane, u32 output, u32 other, u32 input) {
      add_operand(context, step.inputs[input], warp, other, input_format(context, step, input),
                  notes.results[output * lanes + warp * lanes_per_warp + lane]);
    });
  }
  return notes;
}

void after_float(Context& context, const Op* op, const OriginNotes& notes) {
  const Step& step = step_of(context, op);
  const bool compute = step.kind == StepKind::Compute;
  const u32* outputs = compute ? &step.d : step.outputs.data();
  const Format format = result_format(step);
  for (u32 i = 0; i < (compute ? 1 : step.outputs.size()); ++i) {
    if (outputs[i] == no_value) continue;
    const bool is_float = format.count != 0 && !context.program->code->values[outputs[i]].is_predicate;
    careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
      const OriginNotes::Result& note = notes.results[i * context.lane_count() + warp * lanes_per_warp + lane];
      u64& origin = context.shadow->origins[context.shadow->cell(outputs[i], warp, lane)];
      origin = note.carried_nan ? note.carried_nan : note.carried;  // a step that only carries bits takes it along
      if (!is_float) return;
      const u64 result = careful::read_value(context, outputs[i], warp, lane);
      const bool first_nan = is_nan(result, format) && !note.operand_nan && !note.carried;
      if (!is_nonfinite(result, format)) {
        origin = 0;
      } else if (first_nan || !note.operand_nonfinite) {
        origin = pack_origin({op->step, context.block->number, context.first_thread + warp * lanes_per_warp + lane});
      }
    });
  }
}

void note_loaded_origin(Context& context, const AccessEvent& event, const MemoryStep& memory) {
  const auto& map = map_of(event);
  for (u32 i = 0; i < memory.count; ++i) {
    if (memory.values[i] == no_value) continue;
    const auto at = map.find(key_of(event, i * memory.element_bytes));
    context.shadow->origins[context.shadow->cell(memory.values[i], event.warp, event.lane)] =
        at == map.end() ? 0 : at->second;
  }
}

void note_stored_origin(Context& context, const AccessEvent& event, const MemoryStep& memory) {
  // Packed values are read element by element later: every element of the value carries the origin.
  std::array<u64, 16> origins;
  for (u32 i = 0; i < memory.count; ++i) {
    origins.fill(context.shadow->origins[context.shadow->cell(memory.values[i], event.warp, event.lane)]);
    keep_origins(event, i * memory.element_bytes, memory.element_bytes, origins.data());
  }
}

std::array<u64, 16> loaded_origins(const AccessEvent& event) {
  std::array<u64, 16> out{};
  const auto& map = map_of(event);
  for (u32 byte = 0; byte < event.bytes && byte < 16; ++byte) {
    const auto at = map.find(key_of(event, byte));
    if (at != map.end()) out[byte] = at->second;
  }
  return out;
}

void keep_origins(const AccessEvent& event, u32 first, u32 bytes, const u64* origins) {
  auto& map = map_of(event);
  for (u32 byte = 0; byte < bytes; ++byte) {
    if (origins[byte])
      map[key_of(event, first + byte)] = origins[byte];
    else
      map.erase(key_of(event, first + byte));
  }
}

template <>
const CheckUnit& unit<Check::Nonfinite>() {
  static const CheckUnit unit{
      .rules = {{Rule::NonfiniteOrigin, "First instruction that makes a NaN or an infinity",
                 "This instruction made a NaN out of operands that were none, or an infinity out of finite ones, and a "
                 "tensor that must be finite then held such a value.",
                 "One NaN spreads through the softmax and the whole row, and what is seen at the end says nothing of "
                 "its source.",
                 "Usually a row that is masked everywhere gives -inf minus -inf, a sum of zero is divided by, or a "
                 "value overflows the range of f16."}},
      .words =
          [](const Wording& wording) {
            return wording.example.step == no_value
                       ? fmt::format("{} is {}, taken over from an input", wording.element(), wording.example.detail)
                       : fmt::format("the first {} comes from here and reaches {}", wording.example.detail,
                                     wording.element());
          },
      .why_vacuous =
          [](const Launch& launch) {
            const bool some = std::ranges::any_of(launch.tensors, [](const auto& tensor) { return tensor.finite; });
            return std::string(some ? "" : "no tensor must be finite");
          },
  };
  return unit;
}

}  // namespace ropewalk::machine
