#include <elf.h>

#include <cstring>
#include <set>

#include "lib/base/elf_bytes.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/module.h"
#include "lib/ptx/fat_binary.h"
#include "lib/ptx/header.h"
#include "lib/ptx/link.h"
#include "lib/ptx/read.h"
#include "lib/ptx/write.h"
#include "lib/trace/find_ptx.h"

namespace ropewalk::driver {

using ptx::FatBinaryEntry;

namespace {

// Of those of one binary; nullptr: none is for the target. others: what is there.
const FatBinaryEntry* best_in(const std::vector<FatBinaryEntry>& entries, u32 linked, u32 capability,
                              std::string& others) {
  const FatBinaryEntry* best = nullptr;
  for (const FatBinaryEntry& entry : entries) {
    if (entry.linked != linked) continue;
    if (entry.kind != FatBinaryEntry::Kind::ptx) {
      others += fmt::format("{}sm_{}", others.empty() ? "" : ", ", entry.architecture);
    } else if (entry.architecture > capability) {
      others += fmt::format("{}compute_{}", others.empty() ? "" : ", ", entry.architecture);
    } else if (!best || entry.architecture > best->architecture) {
      best = &entry;
    }
  }
  return best;
}

// What the program's own linker made is machine code: what it linked has PTX. Libraries that have none, such as the
// device's runtime, are left out.
PtxImage best_of(const std::vector<FatBinaryEntry>& entries, const std::string& target) {
  const u32 capability = ptx::capability_of(target);
  std::string others;
  std::vector<PtxImage> images;
  std::set<u32> binaries;
  for (const FatBinaryEntry& entry : entries) binaries.insert(entry.linked);
  for (const u32 binary : binaries) {
    const FatBinaryEntry* const best = best_in(entries, binary, capability, others);
    if (!best) continue;
    const std::string name = fmt::format("fat binary's compute_{} PTX", best->architecture);
    images.push_back({ptx::unpack(*best, name), name, best->architecture});
    if (!binary) break;
  }
  if (images.empty()) {
    throw InputError(
        fmt::format("the program's fat binary has no PTX for {} ({}): build it with -gencode "
                    "arch=compute_{},code=compute_{}, or ask for another --target",
                    target, others.empty() ? "it is empty" : "it has " + others, capability, capability));
  }
  return linked(std::move(images));
}

// Of a cubin: Triton's cache keeps the text beside it.
PtxImage beside_cubin(const void* image) {
  const u64 bytes = elf_bytes(static_cast<const std::byte*>(image));
  const std::string path =
      trace::PtxFinder("", {}).beside_cubin(bytes, hash_of({static_cast<const char*>(image), bytes}));
  if (path.empty()) {
    throw InputError(
        "a cubin has machine code alone, and no PTX lies beside it in Triton's cache: the virtual GPU needs "
        "PTX, as nvcc -ptx writes it (cuModuleLoad takes NAME.ptx beside NAME.cubin)");
  }
  return {std::string(MappedFile(path).text()), path, 0};
}

bool starts_with(const void* image, const void* bytes, std::size_t count) { return !std::memcmp(image, bytes, count); }

}  // namespace

PtxImage linked(std::vector<PtxImage> images) {
  if (images.size() == 1) return std::move(images[0]);
  std::vector<ptx::Module> modules;
  for (const PtxImage& image : images) modules.push_back(ptx::read(image.text, image.name));
  return {ptx::write(ptx::link(modules)), "linked PTX", images[0].architecture, images[0].is_text};
}

void expect_whole_image(std::string_view file, const std::string& name) {
  const auto* const at = reinterpret_cast<const std::byte*>(file.data());
  u32 magic = 0;
  std::memcpy(&magic, at, std::min(file.size(), sizeof magic));
  if (magic == ptx::fat_binary_wrapper_magic)
    throw InputError(name + ": is the wrapper of a fat binary, which no file has");
  if (magic == ptx::fat_binary_magic) ptx::read_fat_binary({at, file.size()}, name);
  if (file.starts_with(ELFMAG) && !elf_bytes(at, file.size()))
    throw InputError(name + ": is shorter than its ELF headers say");
}

PtxImage read_image(const void* image, const std::string& target, const std::string& name) {
  u32 magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == ptx::fat_binary_magic || magic == ptx::fat_binary_wrapper_magic) {
    return best_of(ptx::fat_binary_at(image, "fat binary"), target);
  }
  if (starts_with(image, ELFMAG, SELFMAG)) {
    return beside_cubin(image);
  }
  return {static_cast<const char*>(image), name, 0, true};
}

}  // namespace ropewalk::driver
