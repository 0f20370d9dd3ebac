// Copies and fills: bytes, and what is known of them.
#include <algorithm>
#include <cstring>

#include "lib/base/bits.h"
#include "lib/driver/host_fault.h"
#include "lib/driver/memory.h"

namespace ropewalk::driver {

namespace {

// Bytes from the first to the last.
u64 reach_of(const Block& block, u64 bytes, u64 rows, u64 slices) {
  if (!bytes || !rows || !slices) return 0;
  return (slices - 1) * block.slice + (rows - 1) * block.pitch + bytes;
}

ByteSet bytes_of(const ResolvedAddress& resolved, const Block& block, u64 bytes, u64 rows, u64 slices) {
  const bool is_upward =
      (rows == 1 || block.pitch >= bytes) && (slices == 1 || block.slice >= (rows - 1) * block.pitch + bytes);
  if (!is_upward) return {resolved.offset, resolved.offset + reach_of(block, bytes, rows, slices)};
  ByteSet out;
  for (u64 slice = 0; slice < slices; ++slice) {
    for (u64 row = 0; row < rows; ++row) {
      const u64 first = resolved.offset + slice * block.slice + row * block.pitch;
      out.add(first, first + bytes);
    }
  }
  return out;
}

// One end of a copy.
struct End {
  std::byte* data;             // where the block begins
  u64* initialized = nullptr;  // bits of the allocation; null: all are, or it is the program's own
  u64 first = 0;               // bit of the block's first byte
};

End end_of(const ResolvedAddress& resolved, u64 address) {
  if (!resolved.allocation) return {reinterpret_cast<std::byte*>(address)};
  return {resolved.allocation->data + resolved.offset, resolved.allocation->initialized, resolved.offset};
}

bool bit(const u64* bits, u64 n) { return bits[n / 64] >> (n % 64) & 1; }

void copy_bits(const u64* from, u64 from_first, u64* to, u64 to_first, u64 count) {
  const auto put = [&](u64 n) {
    const u64 mask = u64(1) << ((to_first + n) % 64);
    u64& word = to[(to_first + n) / 64];
    word = bit(from, from_first + n) ? word | mask : word & ~mask;
  };
  u64 n = 0;
  if (from_first % 64 == to_first % 64) {
    for (; n < count && (to_first + n) % 64; ++n) put(n);
    const u64 words = (count - n) / 64;
    std::memmove(to + (to_first + n) / 64, from + (from_first + n) / 64, words * 8);
    n += words * 64;
  }
  for (; n < count; ++n) put(n);
}

}  // namespace

// Which byte a copy reads first is not defined: one that it writes as well may be the new one or the old one. A copy
// onto itself changes nothing.
void DeviceMemory::check_overlap(const Copy& copy, const ResolvedAddress& to, const ResolvedAddress& from,
                                 const std::string& call) {
  if (!to.allocation || to.allocation != from.allocation || to.allocation->is_on_host()) return;
  const bool is_onto_itself = to.offset == from.offset && (copy.rows == 1 || copy.to.pitch == copy.from.pitch) &&
                              (copy.slices == 1 || copy.to.slice == copy.from.slice);
  if (is_onto_itself) return;
  const auto both = bytes_of(to, copy.to, copy.bytes, copy.rows, copy.slices)
                        .overlap(bytes_of(from, copy.from, copy.bytes, copy.rows, copy.slices));
  if (!both) return;
  report_({Rule::OverlappingCopy, call,
           fmt::format("reads {} from byte {} on and writes it from byte {} on, and both have the bytes {} to {}",
                       to.allocation->text(), from.offset, to.offset, both->first, both->last - 1),
           to.allocation});
}

namespace {

// body(at_from, at_to) for every row of a copy: bytes from the begin of either block.
template <class Body>
void for_rows(const DeviceMemory::Copy& copy, Body body) {
  for (u64 slice = 0; slice < copy.slices; ++slice) {
    for (u64 row = 0; row < copy.rows; ++row)
      body(slice * copy.from.slice + row * copy.from.pitch, slice * copy.to.slice + row * copy.to.pitch);
  }
}

// Of the bits of bytes [first, last), what is known goes to the bytes from `into` on.
void move_bits(const UndefinedBits& from, u64 first, u64 last, UndefinedBits& to, u64 into) {
  UndefinedBits moved;
  for (const auto& [byte, bits] : from) {
    if (byte >= first && byte < last) moved[byte - first + into] = bits;
  }
  forget(to, {{into, into + (last - first)}});
  to.merge(moved);
}

}  // namespace

// Where some of it was stored without being defined, or in part, as members of a bit field are, the rest is not noted.
void DeviceMemory::tell_unwritten(const Copy& copy, const ResolvedAddress& from, const std::string& call) {
  if (!from.allocation->undefined.empty() || !from.allocation->undefined_bits.empty()) return;
  const UndefinedBytes::Written written{from.allocation->initialized, from.allocation->widest_stored};
  std::optional<u64> byte;
  for_rows(copy, [&](u64 at_from, u64) {
    const u64 first = from.offset + at_from;
    if (!byte) byte = first_unwritten(written, first, first + copy.bytes);
  });
  if (byte) on_unwritten(*from.allocation, *byte, call);
}

// What kernels stored that nobody wrote matters where the host sees it, and elsewhere goes along.
void DeviceMemory::follow_undefined(const Copy& copy, const ResolvedAddress& to, const ResolvedAddress& from,
                                    const std::string& call) {
  if (!from.allocation || !from.allocation->initialized || !on_undefined) return;
  const bool is_to_host = !to.allocation || to.allocation->is_on_host();
  if (is_to_host && on_unwritten) tell_unwritten(copy, from, call);
  const bool has_some = !from.allocation->undefined.empty() || !from.allocation->undefined_bits.empty();
  if (!has_some && (!to.allocation || to.allocation->undefined_bits.empty())) return;
  std::vector<std::shared_ptr<const UndefinedStored>> seen;
  for_rows(copy, [&](u64 at_from, u64 at_to) {
    const u64 first = from.offset + at_from, last = first + copy.bytes, into = to.offset + at_to;
    if (to.allocation && to.allocation->is_private()) {
      for (auto& part : from.allocation->undefined.moved(first, last, into)) to.allocation->undefined.add(part);
      move_bits(from.allocation->undefined_bits, first, last, to.allocation->undefined_bits, into);
      return;
    }
    for (const auto& stored : from.allocation->undefined_among(first, last)) {
      if (std::ranges::find(seen, stored) == seen.end()) seen.push_back(stored);
    }
  });
  from.allocation->undefined.look_at();
  for (const auto& stored : seen) on_undefined(*stored, call);
}

Result DeviceMemory::copy(const Copy& copy, const std::string& call) {
  if (!copy.bytes || !copy.rows || !copy.slices) return Result::Success;
  if (on_check) on_check();
  ResolvedAddress to, from;
  const u64 to_reach = reach_of(copy.to, copy.bytes, copy.rows, copy.slices);
  const u64 from_reach = reach_of(copy.from, copy.bytes, copy.rows, copy.slices);
  const bool can_read = check(from, copy.from.address, from_reach, false, call);
  const bool can_write = check(to, copy.to.address, to_reach, true, call);
  if (!can_read || !can_write) return Result::InvalidValue;
  const auto foreign = [&](const ResolvedAddress& resolved, bool is_device, u64 address) {
    if (!is_device || resolved.allocation) return false;
    report_({Rule::IllegalAddress, call,
             fmt::format("{:#x} is memory of the host, where memory of a device is expected", address)});
    return true;
  };
  if (foreign(from, copy.from_device, copy.from.address) || foreign(to, copy.to_device, copy.to.address)) {
    return Result::InvalidValue;
  }
  check_overlap(copy, to, from, call);
  if (from.allocation && from.allocation->initialized && to.allocation) to.allocation->track_variable();
  const End into = end_of(to, copy.to.address), out_of = end_of(from, copy.from.address);
  std::optional<CopyFault> missing;  // its offset from the begin of the program's memory
  for_rows(copy, [&](u64 at_from, u64 at_to) {
    if (missing) return;
    missing = copy_or_fault(into.data + at_to, out_of.data + at_from, copy.bytes);
    if (missing) missing->offset += missing->is_read ? at_from : at_to;
    if (missing || !into.initialized) return;
    if (out_of.initialized)
      copy_bits(out_of.initialized, out_of.first + at_from, into.initialized, into.first + at_to, copy.bytes);
    else
      set_bits(into.initialized, into.first + at_to, into.first + at_to + copy.bytes);
  });
  if (missing) {
    report_({Rule::IllegalAddress, call,
             fmt::format("{} {:#x} in memory of the host, where what lies from byte {} on {}",
                         missing->is_read ? "reads from" : "writes to",
                         missing->is_read ? copy.from.address : copy.to.address, missing->offset,
                         missing->is_read ? "is not mapped" : "is not mapped, or must not be written")});
    return Result::InvalidValue;
  }
  follow_undefined(copy, to, from, call);
  if (to.allocation && from.allocation)
    to.allocation->widest_stored = std::max(to.allocation->widest_stored, from.allocation->widest_stored);
  if (on_touch) {
    std::vector<Touched> all;
    if (from.allocation) {
      all.push_back({.allocation = from.allocation,
                     .all = {.read = bytes_of(from, copy.from, copy.bytes, copy.rows, copy.slices)}});
    }
    if (to.allocation) {
      all.push_back(
          {.allocation = to.allocation, .all = {.written = bytes_of(to, copy.to, copy.bytes, copy.rows, copy.slices)}});
    }
    on_touch(std::move(all), call);
  }
  return Result::Success;
}

void DeviceMemory::read_condition(const Allocation& at, bool is_checked, u32* value) {
  const std::string call = "cuGraphLaunch: a node with a condition";
  std::memcpy(value, at.data, sizeof *value);
  if (!all_bits(at.initialized, 0, sizeof *value)) {
    *value = 0;
    if (is_checked)
      report_(
          {Rule::UninitializedRead, call,
           "reads a condition that no kernel set in this launch, and that has no default (cudaGraphCondAssignDefault)",
           &at, Access{.space = "global", .bytes = sizeof *value, .tensor = at.text(), .byte_offset = 0}});
  }
  if (on_touch) on_touch({{.allocation = &at, .all = {.read = ByteSet(0, sizeof *value)}}}, call);
}

void DeviceMemory::assume_written() {
  for (const Allocation* at : live()) {
    if (at->range) {
      for (const auto& [first, mapping] : at->range->mappings())
        set_bits(at->initialized, first, first + mapping.bytes);
    } else if (at->initialized) {
      set_bits(at->initialized, 0, at->bytes);
    }
  }
}

Result DeviceMemory::set(const Block& to, u32 value, u32 width, u64 count, u64 rows, const std::string& call) {
  if (!count || !rows) return Result::Success;
  if (to.address % width || (rows > 1 && to.pitch % width)) return Result::InvalidValue;
  if (on_check) on_check();
  ResolvedAddress resolved;
  const u64 bytes = count * width;
  if (!check(resolved, to.address, reach_of(to, bytes, rows, 1), true, call)) return Result::InvalidValue;
  if (!resolved.allocation) {
    report_({Rule::IllegalAddress, call,
             fmt::format("{:#x} is memory of the host, where memory of a device is expected", to.address)});
    return Result::InvalidValue;
  }
  const End into = end_of(resolved, to.address);
  for (u64 row = 0; row < rows; ++row) {
    std::byte* const data = into.data + row * to.pitch;
    if (width == 1) {
      std::memset(data, int(value), bytes);
    } else {
      for (u64 n = 0; n < count; ++n) std::memcpy(data + n * width, &value, width);
    }
    if (into.initialized) set_bits(into.initialized, into.first + row * to.pitch, into.first + row * to.pitch + bytes);
  }
  if (on_touch) {
    on_touch({{.allocation = resolved.allocation, .all = {.written = bytes_of(resolved, to, bytes, rows, 1)}}}, call);
  }
  return Result::Success;
}

}  // namespace ropewalk::driver
