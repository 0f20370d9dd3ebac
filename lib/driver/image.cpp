#include <elf.h>

#include <algorithm>
#include <cstring>

#include "lib/base/elf_bytes.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/fat_binary.h"
#include "lib/driver/module.h"
#include "lib/ptx/header.h"
#include "lib/trace/find_ptx.h"

namespace ropewalk::driver {

namespace {

PtxImage best_of(const std::vector<FatBinaryEntry>& entries, const std::string& target) {
  const FatBinaryEntry* best = nullptr;
  const u32 capability = ptx::capability_of(target);
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
  const auto is_of_another = [&](const FatBinaryEntry& entry) {
    return entry.kind == best->kind && entry.linked != best->linked;
  };
  if (std::ranges::any_of(entries, is_of_another)) {
    throw InputError(
        "the program's device code was linked of several sources (nvcc -rdc=true), or has kernels that launch kernels, "
        "and their PTX is not linked here: build it without -rdc=true, with what a kernel uses in its own source file");
  }
  const std::string name = fmt::format("fat binary's compute_{} PTX", best->architecture);
  return {unpack(*best, name), name, best->architecture};
}

// Of a cubin: Triton's cache keeps the text beside it.
PtxImage beside_cubin(const void* image) {
  const u64 bytes = elf_bytes(static_cast<const std::byte*>(image));
  const std::string path =
      trace::PtxFinder("", {}).beside_cubin(bytes, hash_of({static_cast<const char*>(image), bytes}));
  if (path.empty()) {
    throw InputError(
        "a cubin has machine code alone, and no PTX lies beside it in Triton's cache: the virtual GPU needs "
        "PTX, as nvcc -ptx writes it");
  }
  return {std::string(MappedFile(path).text()), path, 0};
}

bool starts_with(const void* image, const void* bytes, std::size_t count) { return !std::memcmp(image, bytes, count); }

}  // namespace

PtxImage read_image(const void* image, const std::string& target, const std::string& name) {
  u32 magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == fat_binary_magic || magic == fat_binary_wrapper_magic) {
    return best_of(fat_binary_at(image, "fat binary"), target);
  }
  if (starts_with(image, ELFMAG, SELFMAG)) {
    return beside_cubin(image);
  }
  return {static_cast<const char*>(image), name, 0, true};
}

}  // namespace ropewalk::driver
