// What stands at the address that a program hands to the driver as a module. The layout of fat binaries is not in
// NVIDIA's manuals; it was read off what nvcc writes, and a test compares it with that.
#include <cctype>
#include <cstring>

#include "lib/base/elf_bytes.h"
#include "lib/base/hash.h"
#include "lib/trace/recorder/images.h"

namespace ropewalk::trace {

namespace {

constexpr u32 wrapper_magic = 0x466243b1, binary_magic = 0xba55ed50;
constexpr u64 most_bytes = u64(1) << 30;

struct Wrapper {
  u32 magic, version;
  const void* binary;
};
struct BinaryHeader {
  u32 magic;
  u16 version, header_bytes;
  u64 bytes;  // of the entries
};
struct EntryHeader {
  u16 kind, version;  // 1: PTX, 2: a cubin
  u32 header_bytes;
  u64 bytes;
  u32 compressed_bytes, unknown;
  u16 minor, major;
  u32 architecture, name_offset, name_bytes;
  u64 flags, zero, plain_bytes;
};
constexpr u16 ptx_entry = 1;
// Flags that say that an entry is compressed (by LZ4 or by Zstandard).
constexpr u64 compressed_flags = 0x2000 | 0x8000;

template <class Header>
Header header_at(const std::byte* at) {
  Header header;
  std::memcpy(&header, at, sizeof header);
  return header;
}

void read_fat_binary(const std::byte* at, Image& image) {
  const auto whole = header_at<BinaryHeader>(at);
  image.kind = "fatbin";
  image.bytes = whole.bytes;
  if (whole.bytes > most_bytes) return;
  const std::byte* entry = at + whole.header_bytes;
  const std::byte* const end = entry + whole.bytes;
  while (entry + sizeof(EntryHeader) <= end) {
    const auto header = header_at<EntryHeader>(entry);
    if (header.header_bytes < sizeof(EntryHeader) || header.bytes > u64(end - entry) - header.header_bytes) return;
    if (header.kind == ptx_entry) {
      const auto* text = reinterpret_cast<const char*>(entry + header.header_bytes);
      if (header.flags & compressed_flags)
        ++image.compressed;
      else
        image.ptx.emplace_back(text, strnlen(text, header.bytes));
    }
    entry += header.header_bytes + header.bytes;
  }
}

}  // namespace

Image image_at(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  Image image;
  u32 magic = 0;
  // Text may be shorter than any header: it is looked at byte by byte.
  for (u32 n = 0; n < 4; ++n) {
    const u32 byte = u32(at[n]);
    magic |= byte << (8 * n);
    if (byte == 0) break;
  }
  if (magic == wrapper_magic) {
    const auto* binary = static_cast<const std::byte*>(header_at<Wrapper>(at).binary);
    if (binary && header_at<u32>(binary) == binary_magic) read_fat_binary(binary, image);
  } else if (magic == binary_magic) {
    read_fat_binary(at, image);
  } else if (std::memcmp(&magic,
                         "\x7f"
                         "ELF",
                         4) == 0) {
    image.kind = "cubin";
    image.bytes = elf_bytes(at);
    image.hash = hash_of({reinterpret_cast<const char*>(at), image.bytes});
  } else {
    const char* text = static_cast<const char*>(address);
    if (!std::isprint(u8(text[0])) && !std::isspace(u8(text[0]))) return image;
    if (!std::strstr(text, ".version")) return image;
    image.kind = "ptx";
    image.bytes = std::strlen(text);
    image.ptx.emplace_back(text);
  }
  return image;
}

}  // namespace ropewalk::trace
