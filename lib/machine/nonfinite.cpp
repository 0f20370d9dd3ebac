#include "lib/machine/nonfinite.h"

#include <cstring>

#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

using ptx::Type;

struct Format { u64 exponent, fraction; };

Format format_of(Type type) {
  switch (type) {
    case Type::F64: return {0x7ff0000000000000ull, 0x000fffffffffffffull};
    case Type::F16: case Type::F16x2: return {0x7c00, 0x03ff};
    case Type::BF16: case Type::BF16x2: return {0x7f80, 0x007f};
    default: return {0x7f800000u, 0x007fffffu};
  }
}

bool is_packed(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

template <class Test>
bool any_part(u64 bits, Type type, Test test) {
  if (!is_packed(type)) return test(bits);
  return test(bits & 0xffff) || test((bits >> 16) & 0xffff);
}

u64 value_bits(const Context& context, u32 value, u32 warp, u32 lane) {
  const Program& program = *context.program;
  const u32 size = program.code->values[value].size;
  u64 bits = 0;
  std::memcpy(&bits, context.registers + program.place[value] + warp * program.pitch[value] + lane * size, size);
  return bits;
}

// The float type in which an operand of this step is to be read: conversions read another one than they give.
Type operand_type(const Context& context, const Step& step, u32 value) {
  if (step.kind != StepKind::Compute) return step.result_float;
  const ptx::Opcode& opcode = context.program->code->module->opcodes[context.program->code->instruction_of(step).opcode];
  if (opcode.stem != "cvt") return step.result_float;
  const Type last = ptx::type_named(opcode.modifiers.back());
  const u32 size = context.program->code->values[value].size;
  const bool is_float = last == Type::F32 || last == Type::F64 || last == Type::F16 || last == Type::BF16;
  return is_float && ptx::size_of(last) <= size ? last : Type::None;
}

}  // namespace

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
  OriginNotes notes;
  notes.lanes.resize(context.lane_count());
  const u32 single[] = {step.a, step.b, step.c, step.e};
  const bool compute = step.kind == StepKind::Compute;
  const u32* inputs = compute ? single : step.inputs.data();
  const u32 count = compute ? 4 : u32(step.inputs.size());
  for (u32 i = 0; i < count; ++i) {
    if (inputs[i] == no_value) continue;
    const bool is_predicate = context.program->code->values[inputs[i]].is_predicate;
    const Type type = step.result_float == Type::None || is_predicate ? Type::None : operand_type(context, step, inputs[i]);
    for (u32 warp = 0; warp < context.warps; ++warp) {
      for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        OriginNotes::Lane& note = notes.lanes[warp * lanes_per_warp + lane];
        const u32 theirs = context.shadow->origins[context.shadow->cell(inputs[i], warp, lane)];
        if (theirs && !note.carried) note.carried = theirs;
        if (type == Type::None) continue;
        const u64 value = value_bits(context, inputs[i], warp, lane);
        note.operand_nan |= is_nan(value, type);
        note.operand_nonfinite |= is_nonfinite(value, type);
      }
    }
  }
  return notes;
}

void after_float(Context& context, const Op* op, const OriginNotes& notes) {
  const Step& step = context.program->code->steps[op->step];
  const bool compute = step.kind == StepKind::Compute;
  const u32* outputs = compute ? &step.d : step.outputs.data();
  for (u32 i = 0; i < (compute ? 1 : step.outputs.size()); ++i) {
    if (outputs[i] == no_value) continue;
    for (u32 warp = 0; warp < context.warps; ++warp) {
      for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        const OriginNotes::Lane& note = notes.lanes[warp * lanes_per_warp + lane];
        u32& origin = context.shadow->origins[context.shadow->cell(outputs[i], warp, lane)];
        origin = note.carried;  // a step that only carries bits about takes the origin along
        if (step.result_float == Type::None) continue;
        const u64 result = value_bits(context, outputs[i], warp, lane);
        if (!is_nonfinite(result, step.result_float)) origin = 0;
        else if (is_nan(result, step.result_float) && !note.operand_nan && !note.carried) origin = op->step + 1;
        else if (!note.operand_nonfinite) origin = op->step + 1;
      }
    }
  }
}

void note_loaded_origin(Context& context, const AccessEvent& event, const MemoryStep& memory) {
  const auto& map = event.space == MemorySpace::Shared ? context.block->shared_origins : context.block->launch->origins;
  const u64 base = event.space == MemorySpace::Shared ? u64(event.offset) : event.address;
  for (u32 i = 0; i < memory.count; ++i) {
    if (memory.values[i] == no_value) continue;
    u32& origin = context.shadow->origins[context.shadow->cell(memory.values[i], event.warp, event.lane)];
    const auto at = event.space == MemorySpace::Local ? map.end() : map.find(base + i * memory.element_bytes);
    origin = at == map.end() ? 0 : at->second;
  }
}

void note_stored_origin(Context& context, const AccessEvent& event, const MemoryStep& memory) {
  if (event.space == MemorySpace::Local) return;
  auto& map = event.space == MemorySpace::Shared ? context.block->shared_origins : context.block->launch->origins;
  const u64 base = event.space == MemorySpace::Shared ? u64(event.offset) : event.address;
  for (u32 i = 0; i < memory.count; ++i) {
    const u32 origin = context.shadow->origins[context.shadow->cell(memory.values[i], event.warp, event.lane)];
    // Packed values are read element by element later: every element of the value carries the origin.
    for (u32 at = 0; at < memory.element_bytes; at += 2) {
      if (origin) map[base + i * memory.element_bytes + at] = origin;
      else map.erase(base + i * memory.element_bytes + at);
    }
  }
}

}  // namespace ropewalk::machine
