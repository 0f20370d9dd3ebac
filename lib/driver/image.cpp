#include <elf.h>

#include <cstring>

#include "lib/base/error.h"
#include "lib/driver/fat_binary.h"
#include "lib/driver/module.h"

namespace ropewalk::driver {

namespace {

u32 capability_of(const std::string& target) {
  const auto at = target.find_first_of("0123456789");
  return at == std::string::npos ? 80 : u32(std::atoi(target.c_str() + at));
}

PtxImage best_of(const std::vector<FatBinaryEntry>& entries, const std::string& target) {
  const FatBinaryEntry* best = nullptr;
  const u32 capability = capability_of(target);
  std::string others;
  for (const FatBinaryEntry& entry : entries) {
    if (entry.kind != FatBinaryEntry::Kind::ptx) {
      others += fmt::format("{}sm_{}", others.empty() ? "" : ", ", entry.architecture);
    } else if (entry.architecture > capability) {
      others += fmt::format("{}compute_{}", others.empty() ? "" : ", ", entry.architecture);
    } else if (!best || entry.architecture > best->architecture) {
      best = &entry;
    }
  }
  if (!best) {
    throw InputError(
        fmt::format("the program's fat binary has no PTX for {} ({}): build it with -gencode "
                    "arch=compute_{},code=compute_{}, or ask for another --target",
                    target, others.empty() ? "it is empty" : "it has " + others, capability, capability));
  }
  const std::string name = fmt::format("fat binary's compute_{} PTX", best->architecture);
  return {unpack(*best, name), name, best->architecture};
}

bool starts_with(const void* image, const void* bytes, std::size_t count) { return !std::memcmp(image, bytes, count); }

}  // namespace

PtxImage read_image(const void* image, const std::string& target) {
  u32 magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == fat_binary_magic || magic == fat_binary_wrapper_magic) {
    return best_of(fat_binary_at(image, "fat binary"), target);
  }
  if (starts_with(image, ELFMAG, SELFMAG)) {
    throw InputError("a cubin has machine code alone: the virtual GPU needs the PTX");
  }
  return {static_cast<const char*>(image), "PTX of the program", 0};
}

}  // namespace ropewalk::driver
