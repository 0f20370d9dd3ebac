// What stands at the address that a program hands to the driver as a module.
#include <cctype>
#include <cstring>
#include <functional>

#include "lib/base/elf_bytes.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/trace/recorder/images.h"

namespace ropewalk::trace {

namespace {

// One that is damaged has no PTX for us: whether the program may load it is the driver's business.
Image fat_image(const std::function<std::vector<ptx::FatBinaryEntry>()>& read) {
  Image image;
  image.kind = "fatbin";
  std::vector<ptx::FatBinaryEntry> entries;
  try {
    entries = read();
  } catch (const InputError&) {
  }
  for (const ptx::FatBinaryEntry& entry : entries) {
    image.bytes += entry.packed.size();
    if (entry.kind != ptx::FatBinaryEntry::Kind::ptx) continue;
    if (entry.packing == ptx::FatBinaryEntry::Packing::none) {
      image.ptx.push_back(ptx::unpack(entry, "fat binary"));
      continue;
    }
    image.packed.emplace_back(std::vector(entry.packed.begin(), entry.packed.end()), entry);
  }
  return image;
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
  if (magic == ptx::fat_binary_wrapper_magic || magic == ptx::fat_binary_magic) {
    return fat_image([&] { return ptx::fat_binary_at(address, "fat binary"); });
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

Image image_of_file(std::string bytes) {
  u32 magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic == ptx::fat_binary_magic)
    return fat_image([&] { return ptx::read_fat_binary(std::as_bytes(std::span(bytes)), "fat binary"); });
  bytes.resize(bytes.size() + 64);  // headers and texts end inside
  return image_at(bytes.data());
}

}  // namespace ropewalk::trace
