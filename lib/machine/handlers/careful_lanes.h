// Values and marks of single lanes, for what goes through the lanes one by one.
#pragma once
#include <cstring>

#include "lib/machine/program.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine::careful {

inline u64 read_value(const Context& context, u32 value, u32 warp, u32 lane) {
  const Program& program = *context.program;
  const u32 size = program.code->values[value].size;
  u64 bits = 0;
  std::memcpy(&bits, context.registers + program.offset[value] + warp * program.pitch[value] + lane * size, size);
  return bits;
}

inline void write_value(Context& context, u32 value, u32 warp, u32 lane, u64 bits) {
  const Program& program = *context.program;
  const u32 size = program.code->values[value].size;
  std::memcpy(context.registers + program.offset[value] + warp * program.pitch[value] + lane * size, &bits, size);
}

inline Mark mark_of(const Context& context, u32 value, u32 warp, u32 lane) {
  const Shadow& shadow = *context.shadow;
  return value == no_value || !shadow.any ? Mark() : shadow.mark_of(value, warp, lane);
}

inline void set_mark(Context& context, u32 value, u32 warp, u32 lane, const Mark& mark) {
  if (mark.bits || context.shadow->any) context.shadow->set(value, warp, lane, mark);
}

inline u8 taint_of(const Context& context, u32 value, u32 warp, u32 lane) {
  Shadow& shadow = *context.shadow;
  return value == no_value || !shadow.any ? u8(clean) : shadow.taint(value, warp)[lane];
}

inline u64 address_of(const Context& context, u32 value, i64 offset, u32 warp, u32 lane) {
  if (value == no_value) return u64(offset);
  const u64 base = read_value(context, value, warp, lane);
  // Addresses of shared memory are often 32 bits wide and wrap there.
  return context.program->code->values[value].size == 4 ? u64(u32(base + u64(offset))) : base + u64(offset);
}

// body(warp, lane) for every lane whose bit is set.
template <class Body>
void for_lanes(const u32 (&bits_of)[max_warps], u32 warps, Body body) {
  for (u32 warp = 0; warp < warps; ++warp) {
    for (u32 bits = bits_of[warp]; bits; bits &= bits - 1) body(warp, u32(__builtin_ctz(bits)));
  }
}
template <class Body>
void for_active_lanes(const Context& context, Body body) {
  for_lanes(context.bits, context.warps, body);
}

}  // namespace ropewalk::machine::careful
