// Fat binaries: what nvcc puts into programs and .fatbin files, and programs hand to the driver. The layout is in none
// of NVIDIA's manuals. It was read off what nvcc 13.0 writes, and a test compares it with that.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::ptx {

struct FatBinaryEntry {
  enum class Kind { ptx, elf, other };  // other: what a linker or a later toolkit makes of it
  enum class Packing { none, lz4, zstd };

  Kind kind = Kind::other;
  u32 architecture = 0;  // 80: sm_80 or compute_80
  Packing packing = Packing::none;
  std::span<const std::byte> packed;  // where it lies, in the fat binary
  u64 bytes = 0;                      // unpacked
  u32 linked = 0;                     // number, from 1, of the linked fat binary that it is of; 0: of none
};

// The first four bytes of a fat binary, and of the wrapper with which nvcc's host code registers one.
inline constexpr u32 fat_binary_magic = 0xba55ed50, fat_binary_wrapper_magic = 0x466243b1;

// The entries of a fat binary, in its order. The bytes must outlive them; `name` is used in messages. Throws InputError
// where the bytes are no fat binary or end inside of one.
std::vector<FatBinaryEntry> read_fat_binary(std::span<const std::byte> bytes, const std::string& name);

// The same of what a program hands over: a wrapper or a fat binary. The memory is as long as its own header says. A
// wrapper of separate compilation names the fat binaries that were linked: their entries follow.
std::vector<FatBinaryEntry> fat_binary_at(const void* address, const std::string& name);

// What the entry holds: the text of PTX without zeros at its end, or the bytes of an ELF file. Throws InputError where
// they are damaged.
std::string unpack(const FatBinaryEntry& entry, const std::string& name);

}  // namespace ropewalk::ptx
