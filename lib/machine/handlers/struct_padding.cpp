#include "lib/machine/handlers/struct_padding.h"

#include <algorithm>
#include <numeric>

#include "lib/base/bits.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/struct_holes.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine::careful {

namespace {

// Whether somebody stored there, be it what nobody wrote.
bool is_stored_at(const AccessEvent& event, u64 offset) {
  return is_initialized_at(event, offset) ||
         event.context.block->undefined_bytes.contains(event.byte_in_block(i64(offset) - event.offset));
}

// Whether the byte is one of those that are missing at the end of a word of `width` bytes, in which the first is not.
bool is_at_the_end_of_a_word(const AccessEvent& event, u64 offset, u32 width) {
  const u64 first = offset / width * width;
  if (first + width > event.extent || !is_stored_at(event, first)) return false;
  for (u64 byte = offset; byte < first + width; ++byte) {
    if (is_stored_at(event, byte)) return false;
  }
  return true;
}

enum class Others { Unknown, None, HaveIt, LackIt };

// Whether the other lanes of the warp, which read other structs of an array or their own, find the byte written there.
// Lanes that read what lies side by side read other members.
Others others_at(const AccessEvent& event, u32 at) {
  const Context& context = event.context;
  const MemoryStep& memory = *event.step.memory;
  for (const u32 value : memory.values) {
    if (value == memory.address) return Others::Unknown;  // the other lanes' addresses may be gone
  }
  u64 apart = 0;
  u32 lacking = 0, others = 0;
  for (u32 bits = context.bits[event.warp] & ~(1u << event.lane); bits; bits &= bits - 1) {
    AccessEvent other = event;
    other.lane = u32(__builtin_ctz(bits));
    other.address = address_of(context, memory.address, memory.offset, other.warp, other.lane);
    resolve(other, memory.space);
    const bool is_inside = other.offset >= 0 && u64(other.offset) + other.bytes <= other.extent;
    if (other.space != event.space || !is_inside) continue;
    const bool is_own = event.space == MemorySpace::Local;
    if (!is_own && other.offset == event.offset) continue;
    apart = std::gcd(apart, u64(std::abs(other.offset - event.offset)));
    ++others;
    lacking += !is_initialized_at(other, u64(other.offset) + at);
  }
  if (others == 0) return Others::None;
  if (apart != 0 && apart <= event.bytes) return Others::Unknown;
  return lacking == others ? Others::LackIt : Others::HaveIt;
}

}  // namespace

bool is_initialized_at(const AccessEvent& event, u64 offset) {
  switch (event.space) {
    case MemorySpace::Shared:
      return all_bits(event.context.block->shared_initialized.data(), offset, offset + 1);
    case MemorySpace::Local:
      return local_initialized(event.context, u32(offset), event.warp, event.lane, 1);
    default:
      return !event.window || !event.window->initialized || all_bits(event.window->initialized, offset, offset + 1);
  }
}

namespace {

// Whether the byte is in a hole of the structs that the global memory holds.
bool is_in_hole(const AccessEvent& event, u32 at) {
  const u64* const written = event.window ? static_cast<u64*>(event.window->initialized) : nullptr;
  if (!written) return false;
  const u64 offset = u64(event.offset) + at;
  const auto is_hole = [&](u64 narrowest, u64 widest) {
    return is_struct_hole(written, event.window->bytes, offset, narrowest, widest);
  };
  u8* const stored = event.window->widest_stored;
  const u64 widest = stored ? __atomic_load_n(stored, __ATOMIC_RELAXED) : 4;
  if (event.step.kind != StepKind::Load) return is_hole(2, widest);
  for (u64 alignment = event.step.memory->aligned_to; alignment >= std::max<u64>(8, event.bytes); alignment /= 2) {
    if (is_aligned_hole(written, event.window->bytes, offset, alignment)) return true;
  }
  const u64 bytes = event.step.memory->element_bytes, first = u64(event.offset) + at / bytes * bytes;
  // A number of which all is missing may be a part of a hole beside a wider one.
  if (bytes > 1 && !any_bit(written, first, first + bytes)) return bytes < 8 && widest == 8 && is_hole(8, 8);
  // Where nothing but bytes was stored, nothing pads anything.
  return widest > 1 && is_hole(2, bytes == 8 ? 8 : widest);
}

bool may_end_a_word(const AccessEvent& event, u64 offset, u32 widest) {
  bool may = false;
  for (u32 bytes = 2; bytes <= widest; bytes *= 2) may |= is_at_the_end_of_a_word(event, offset, bytes);
  return may;
}

// Copies of structs move words; a floating point number has no padding in it.
bool loads_numbers(const AccessEvent& event) {
  return event.step.kind == StepKind::Load && is_float(event.step.memory->type);
}

// To how many bytes a member of a struct in global memory may be padded: no more than the widest number has that may
// have been stored there.
u32 padded_to(const AccessEvent& event) {
  const u32 may_be = event.step.memory->pads_to;
  const u8* const stored = event.window ? event.window->widest_stored : nullptr;
  return stored ? std::min<u32>(may_be, __atomic_load_n(stored, __ATOMIC_RELAXED)) : may_be;
}

}  // namespace

bool is_struct_padding(const AccessEvent& event, u32 at) {
  if (loads_numbers(event)) return false;
  if (is_in_hole(event, at)) return true;
  if (event.step.kind != StepKind::Load) return false;
  if (!event.is_in_block()) {
    if (!may_end_a_word(event, u64(event.offset) + at, padded_to(event))) return false;
    const Others others = others_at(event, at);
    return others == Others::None || others == Others::LackIt;
  }
  const ScalarWidths& widths = event.context.program->code->scalar_widths;
  const ScalarWidth width =
      event.space == MemorySpace::Shared ? widths.in_shared(event.step.memory->variable) : widths.local;
  const u64 offset = u64(event.offset) + at;
  const bool may_be_sure = width.surely && is_at_the_end_of_a_word(event, offset, width.surely);
  if (!may_end_a_word(event, offset, width.widest)) return false;
  const Others others = others_at(event, at);
  return others == Others::HaveIt || others == Others::LackIt ? others == Others::LackIt : may_be_sure;
}

}  // namespace ropewalk::machine::careful
