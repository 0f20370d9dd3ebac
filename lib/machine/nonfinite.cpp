#include "lib/machine/nonfinite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/words.h"
#include "lib/machine/dependences.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

using ptx::Type;

struct Format {
  u64 exponent, fraction;
};

Format format_of(Type type) {
  switch (type) {
    case Type::F64:
      return {0x7ff0000000000000ull, 0x000fffffffffffffull};
    case Type::F16:
    case Type::F16x2:
      return {0x7c00, 0x03ff};
    case Type::BF16:
    case Type::BF16x2:
      return {0x7f80, 0x007f};
    default:
      return {0x7f800000u, 0x007fffffu};
  }
}

bool is_packed(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

template <class Test>
bool any_part(u64 bits, Type type, Test test) {
  if (!is_packed(type)) return test(bits);
  return test(bits & 0xffff) || test((bits >> 16) & 0xffff);
}

// The float type in which a register of a matrix product is to be read: halves lie in pairs.
Type matrix_type(const Step& step, bool is_factor) {
  if (!is_factor) return step.result_float == Type::F16 ? Type::F16x2 : step.result_float;
  return step.text == "bf16" ? Type::BF16x2 : step.text == "f16" ? Type::F16x2 : Type::F32;
}

// The float type in which an operand of this step is to be read: conversions read another one than they give.
Type operand_type(const Context& context, const Step& step, u32 value) {
  if (step.result_float == Type::None || context.program->code->values[value].is_predicate) return Type::None;
  const ptx::Opcode& opcode =
      context.program->code->module->opcodes[context.program->code->instruction_of(step).opcode];
  if (opcode.stem != "cvt") return step.result_float;
  const Type last = ptx::type_named(opcode.modifiers.back());
  const u32 size = context.program->code->values[value].size;
  const bool is_float = last == Type::F32 || last == Type::F64 || last == Type::F16 || last == Type::BF16;
  return is_float && ptx::size_of(last) <= size ? last : Type::None;
}

Type result_type(const Step& step) {
  return step.kind == StepKind::MultiplyMatrix ? matrix_type(step, false) : step.result_float;
}

void add_operand(const Context& context, u32 value, u32 warp, u32 lane, Type type, OriginNotes::Result& result) {
  const u64 origin = context.shadow->origins[context.shadow->cell(value, warp, lane)];
  if (origin && !result.carried) result.carried = origin;
  if (type == Type::None) return;
  const u64 bits = careful::read_value(context, value, warp, lane);
  if (is_nan(bits, type)) {
    result.operand_nan = true;
    if (!result.carried_nan) result.carried_nan = origin;
  }
  result.operand_nonfinite |= is_nonfinite(bits, type);
}

// Where the origins of the bytes of an access are kept, and under which key.
std::unordered_map<u64, u64>& map_of(const AccessEvent& event) {
  return event.is_in_block() ? event.context.block->origins : event.context.block->launch->origins;
}
u64 key_of(const AccessEvent& event, u32 byte) {
  return event.is_in_block() ? event.place_in_block(byte) : event.address + byte;
}

}  // namespace

u64 pack_origin(const Origin& origin) {
  return u64(origin.step + 1) << 40 | (origin.block & 0x3fffffff) << 10 | origin.thread;
}

Origin unpack_origin(u64 packed) { return {u32(packed >> 40) - 1, packed >> 10 & 0x3fffffff, u32(packed & 0x3ff)}; }

bool is_nonfinite(u64 bits, Type type) {
  const Format format = format_of(type);
  return any_part(bits, type, [&](u64 part) { return (part & format.exponent) == format.exponent; });
}

bool is_nan(u64 bits, Type type) {
  const Format format = format_of(type);
  return any_part(bits, type, [&](u64 part) {
    return (part & format.exponent) == format.exponent && (part & format.fraction) != 0;
  });
}

OriginNotes before_float(const Context& context, const Step& step) {
  const bool compute = step.kind == StepKind::Compute;
  const u32 lanes = context.lane_count();
  OriginNotes notes;
  notes.results.resize(lanes * (compute ? 1 : step.outputs.size()));
  if (compute) {
    struct Input {
      u32 value;
      Type type;
    };
    std::array<Input, 4> inputs;
    u32 count = 0;
    for (const u32 input : {step.a, step.b, step.c, step.e}) {
      if (input != no_value) inputs[count++] = {input, operand_type(context, step, input)};
    }
    careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
      OriginNotes::Result& result = notes.results[warp * lanes_per_warp + lane];
      // What is not chosen is not looked at.
      const bool holds = step.is_select() && careful::read_value(context, step.c, warp, lane) != 0;
      for (u32 n = 0; n < count; ++n) {
        if (step.is_select() && inputs[n].value != (holds ? step.a : step.b)) continue;
        add_operand(context, inputs[n].value, warp, lane, inputs[n].type, result);
      }
    });
    return notes;
  }
  const bool is_matrix = step.kind == StepKind::MultiplyMatrix;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for_dependences(context, step, warp, [&](u32 lane, u32 output, u32 other, u32 input) {
      const bool is_factor = input + step.outputs.size() < step.inputs.size();
      const Type type = is_matrix ? matrix_type(step, is_factor) : operand_type(context, step, step.inputs[input]);
      add_operand(context, step.inputs[input], warp, other, type,
                  notes.results[output * lanes + warp * lanes_per_warp + lane]);
    });
  }
  return notes;
}

void after_float(Context& context, const Op* op, const OriginNotes& notes) {
  const Step& step = step_of(context, op);
  const bool compute = step.kind == StepKind::Compute;
  const u32* outputs = compute ? &step.d : step.outputs.data();
  const Type type = result_type(step);
  for (u32 i = 0; i < (compute ? 1 : step.outputs.size()); ++i) {
    if (outputs[i] == no_value) continue;
    const bool is_float = type != Type::None && !context.program->code->values[outputs[i]].is_predicate;
    careful::for_active_lanes(context, [&](u32 warp, u32 lane) {
      const OriginNotes::Result& note = notes.results[i * context.lane_count() + warp * lanes_per_warp + lane];
      u64& origin = context.shadow->origins[context.shadow->cell(outputs[i], warp, lane)];
      origin = note.carried_nan ? note.carried_nan : note.carried;  // a step that only carries bits takes it along
      if (!is_float) return;
      const u64 result = careful::read_value(context, outputs[i], warp, lane);
      const bool first_nan = is_nan(result, type) && !note.operand_nan && !note.carried;
      if (!is_nonfinite(result, type)) {
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
      .rules =
          {{Rule::NonfiniteOrigin, "First instruction that makes a NaN or an infinity",
            "This instruction made a NaN out of operands that were none, or an infinity out of finite ones, and a "
            "tensor "
            "that must be finite then held such a value.",
            "One NaN spreads through the softmax and the whole row, and what is seen at the end says nothing of its "
            "source.",
            "Usually a row that is masked everywhere gives -inf minus -inf, a sum of zero is divided by, or a value "
            "overflows the range of f16."}},
      .words =
          [](const Told& told) {
            return told.example.step == no_value
                       ? fmt::format("{} is {}, taken over from an input", told.element(), told.example.detail)
                       : fmt::format("the first {} comes from here and reaches {}", told.example.detail,
                                     told.element());
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
