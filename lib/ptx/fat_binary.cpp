#include "lib/ptx/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <climits>
#include <cstring>

#include "lib/base/error.h"

namespace ropewalk::ptx {

namespace {

struct Wrapper {  // __fatBinC_Wrapper_t of fatbinary_section.h
  u32 magic, version;
  const void* binary;
  const void* const* linked;  // version 2: fat binaries that were linked, and a null pointer
};
struct Header {
  u32 magic;
  u16 version, header_bytes;
  u64 bytes;  // of the entries
};
struct EntryHeader {
  u16 kind, version;
  u32 header_bytes;
  u64 bytes;
  u32 packed_bytes, options;
  u16 minor, major;
  u32 architecture, name_offset, name_bytes;
  u64 flags, zero, unpacked_bytes;
};
constexpr u16 ptx_entry = 1, elf_entry = 2;
constexpr u64 lz4_flag = 0x2000, zstd_flag = 0x8000;
// The most bytes that one packed byte can stand for: LZ4 says 255 more with each byte of a length; a block of zstd is
// at most 128 KiB and at least 4 bytes (RFC 8878, 3.1.1.2).
constexpr u64 lz4_ratio = 255, zstd_ratio = 32768;

template <class Value>
Value value_at(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw InputError(InputLocation{name, 0, 0, "fat binary"}, what);
}

FatBinaryEntry read_entry(std::span<const std::byte> from, const EntryHeader& header, const std::string& name) {
  FatBinaryEntry entry;
  if (header.kind == ptx_entry) entry.kind = FatBinaryEntry::Kind::ptx;
  if (header.kind == elf_entry) entry.kind = FatBinaryEntry::Kind::elf;
  entry.architecture = header.architecture;
  entry.packed = from.subspan(header.header_bytes, header.bytes);
  entry.bytes = header.bytes;
  if (!(header.flags & (lz4_flag | zstd_flag))) return entry;
  // Behind what is packed zeros fill the last 8 bytes.
  if (header.packed_bytes > header.bytes) fail(name, "has an entry that is longer than its space");
  entry.packing = header.flags & zstd_flag ? FatBinaryEntry::Packing::zstd : FatBinaryEntry::Packing::lz4;
  entry.packed = entry.packed.first(header.packed_bytes);
  entry.bytes = header.unpacked_bytes;
  return entry;
}

std::string unpack_bytes(const FatBinaryEntry& entry, const std::string& name) {
  const auto* packed = reinterpret_cast<const char*>(entry.packed.data());
  const u64 size = entry.packed.size();
  if (entry.packing == FatBinaryEntry::Packing::none) return std::string(packed, size);
  const bool is_zstd = entry.packing == FatBinaryEntry::Packing::zstd;
  // A length that so few bytes cannot have is a lie and no reason to allocate.
  if (entry.bytes / (is_zstd ? zstd_ratio : lz4_ratio) > size || entry.bytes > INT_MAX || size > INT_MAX)
    fail(name, "claims an impossible length of " + std::to_string(entry.bytes) + " bytes of an entry");
  std::string out(entry.bytes, '\0');
  const u64 got = is_zstd ? ZSTD_decompress(out.data(), out.size(), packed, size)
                          : u64(i64(LZ4_decompress_safe(packed, out.data(), int(size), int(out.size()))));
  if (got != out.size()) fail(name, is_zstd ? "has damaged zstd data" : "has damaged LZ4 data");
  return out;
}

std::span<const std::byte> whole_at(const void* address, const std::string& name) {
  const auto* at = static_cast<const std::byte*>(address);
  if (value_at<u32>(at) != fat_binary_magic) fail(name, "does not begin with the magic number 0xba55ed50");
  const auto header = value_at<Header>(at);
  return {at, header.header_bytes + header.bytes};
}

}  // namespace

std::vector<FatBinaryEntry> read_fat_binary(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < sizeof(Header)) fail(name, "ends inside its header");
  const auto header = value_at<Header>(bytes.data());
  if (header.magic != fat_binary_magic) fail(name, "does not begin with the magic number 0xba55ed50");
  if (header.header_bytes < sizeof(Header) || header.header_bytes > bytes.size() ||
      header.bytes > bytes.size() - header.header_bytes)
    fail(name, "is shorter than its header says");
  std::span<const std::byte> rest = bytes.subspan(header.header_bytes, header.bytes);
  std::vector<FatBinaryEntry> entries;
  while (!rest.empty()) {
    if (rest.size() < sizeof(EntryHeader)) fail(name, "ends inside the header of an entry");
    const auto entry = value_at<EntryHeader>(rest.data());
    if (entry.header_bytes < sizeof(EntryHeader) || entry.header_bytes > rest.size() ||
        entry.bytes > rest.size() - entry.header_bytes)
      fail(name, "ends inside an entry");
    entries.push_back(read_entry(rest, entry, name));
    rest = rest.subspan(entry.header_bytes + entry.bytes);
  }
  return entries;
}

std::vector<FatBinaryEntry> fat_binary_at(const void* address, const std::string& name) {
  const auto* at = static_cast<const std::byte*>(address);
  if (value_at<u32>(at) != fat_binary_wrapper_magic) return read_fat_binary(whole_at(at, name), name);
  const auto wrapper = value_at<Wrapper>(at);
  if (!wrapper.binary) fail(name, "has a wrapper without a fat binary");
  std::vector<FatBinaryEntry> entries = read_fat_binary(whole_at(wrapper.binary, name), name);
  if (wrapper.version != 2 || !wrapper.linked) return entries;
  for (u32 n = 0; wrapper.linked[n]; ++n) {
    for (FatBinaryEntry entry : read_fat_binary(whole_at(wrapper.linked[n], name), name)) {
      entry.linked = n + 1;
      entries.push_back(entry);
    }
  }
  return entries;
}

std::string unpack(const FatBinaryEntry& entry, const std::string& name) {
  std::string out = unpack_bytes(entry, name);
  if (entry.kind == FatBinaryEntry::Kind::ptx) out.resize(out.find_last_not_of('\0') + 1);
  return out;
}

}  // namespace ropewalk::ptx
