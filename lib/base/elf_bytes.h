// How long an ELF file is that somebody hands over by its address alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "lib/base/types.h"

namespace ropewalk {

// The size of an ELF file in memory by its headers: the end of what lies last. 0: they cannot be right, or the end is
// past the bytes that there are.
inline u64 elf_bytes(const std::byte* at, u64 there_are = u64(1) << 30) {
  constexpr u64 header_bytes = 64;
  if (there_are < header_bytes) return 0;
  const auto value_at = [](auto like, const std::byte* from) {
    std::memcpy(&like, from, sizeof like);
    return like;
  };
  const auto section_table = value_at(u64(), at + 40);
  const auto entry_bytes = value_at(u16(), at + 58), count = value_at(u16(), at + 60);
  const auto program_table = value_at(u64(), at + 32);
  const auto program_bytes = value_at(u16(), at + 54), programs = value_at(u16(), at + 56);
  const auto end_of = [&](u64 first, u64 bytes) {
    return first > there_are || bytes > there_are - first ? ~u64(0) : first + bytes;
  };
  u64 end =
      std::max(end_of(section_table, u64(entry_bytes) * count), end_of(program_table, u64(program_bytes) * programs));
  if (end > there_are || entry_bytes < 64) return 0;
  for (u32 n = 0; n < count; ++n) {
    const std::byte* section = at + section_table + u64(entry_bytes) * n;
    constexpr u32 nobits = 8;
    if (value_at(u32(), section + 4) != nobits)
      end = std::max(end, end_of(value_at(u64(), section + 24), value_at(u64(), section + 32)));
  }
  return end > there_are ? 0 : end;
}

}  // namespace ropewalk
