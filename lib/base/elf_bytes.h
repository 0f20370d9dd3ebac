// How long an ELF file is that somebody hands over by its address alone.
#pragma once
#include <cstddef>
#include <cstring>

#include "lib/base/types.h"

namespace ropewalk {

// The size of an ELF file in memory by its headers: the end of what lies last. 0: they cannot be right.
inline u64 elf_bytes(const std::byte* at) {
  constexpr u64 most_bytes = u64(1) << 30;
  const auto value_at = [](auto like, const std::byte* from) {
    std::memcpy(&like, from, sizeof like);
    return like;
  };
  const auto section_table = value_at(u64(), at + 40);
  const auto entry_bytes = value_at(u16(), at + 58), count = value_at(u16(), at + 60);
  u64 end = section_table + u64(entry_bytes) * count;
  if (end > most_bytes || entry_bytes < 64) return 0;
  for (u32 n = 0; n < count; ++n) {
    const std::byte* section = at + section_table + u64(entry_bytes) * n;
    constexpr u32 nobits = 8;
    if (value_at(u32(), section + 4) == nobits) continue;
    const u64 last = value_at(u64(), section + 24) + value_at(u64(), section + 32);
    if (last > end && last <= most_bytes) end = last;
  }
  const auto program_table = value_at(u64(), at + 32);
  const auto program_bytes = value_at(u16(), at + 54), programs = value_at(u16(), at + 56);
  const u64 last = program_table + u64(program_bytes) * programs;
  return last > end && last <= most_bytes ? last : end;
}

}  // namespace ropewalk
