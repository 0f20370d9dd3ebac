// Memory of one process in others. It moves to a file without a name when it is shared, where kernels go on to reach it
// by its address, and others open the file by way of the process.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "lib/driver/memory.h"

namespace ropewalk::driver {

namespace {

constexpr u64 handle_magic = 0x6370696b6c617077;

u64 whole_granules(u64 bytes) {
  return (bytes + AddressRange::granule - 1) / AddressRange::granule * AddressRange::granule;
}

// The allocation becomes the memory of the file, which has what it held.
bool move_to(Allocation& at, std::unique_ptr<PhysicalMemory> memory) {
  const u64 bytes = memory->bytes();
  auto shared = AddressRange::make(bytes);
  at.physical = std::move(memory);
  if (!shared || !shared->map(0, bytes, at)) return false;
  if (at.data) {
    std::memcpy(shared->data(), at.data, at.bytes);
    std::memcpy(shared->initialized(), at.initialized, (at.bytes + 63) / 64 * 8);
  }
  at.data = shared->data();
  at.initialized = shared->initialized();
  at.shared = std::move(shared);
  at.data_pages = {};
  at.bit_pages = {};
  return true;
}

}  // namespace

Result DeviceMemory::share(u64 address, IpcHandle* handle) {
  Allocation* const at = find(address).allocation;
  const bool is_plain = at && at->kind == MemoryKind::Device && !at->freed && !at->pool && !at->is_of_graph;
  if (!is_plain || at->is_imported()) return Result::InvalidValue;
  if (!at->physical) {
    auto memory = PhysicalMemory::make(whole_granules(at->bytes), at->device, true);
    if (!memory || !move_to(*at, std::move(memory))) return Result::OutOfMemory;
  }
  *handle = {handle_magic, getpid(), at->physical->file(), at->device, at->bytes, {}};
  return Result::Success;
}

Result DeviceMemory::open(const IpcHandle& handle, Context* context, u64* address) {
  if (handle.magic != handle_magic) return Result::InvalidValue;
  if (handle.process == getpid()) return Result::InvalidContext;  // as on a GPU
  for (Allocation* const at : live()) {
    if (!at->is_imported() || at->context != context || at->physical->of_process != handle.process ||
        at->physical->of_file != handle.file)
      continue;
    ++at->physical->references;
    *address = at->address;
    return Result::Success;
  }
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  auto memory = file < 0 ? nullptr : PhysicalMemory::open(file);
  if (file >= 0) ::close(file);
  if (!memory || memory->bytes() < handle.bytes || !has_window()) return Result::InvalidValue;
  memory->of_process = handle.process;
  memory->of_file = handle.file;
  auto made = begin(MemoryKind::Device, handle.device, handle.bytes, "cuIpcOpenMemHandle");
  if (!move_to(*made, std::move(memory))) return Result::OutOfMemory;
  made->context = context;
  *address = made->address = take_window();
  add(std::move(made));
  return Result::Success;
}

Result DeviceMemory::close(u64 address) {
  if (on_check) on_check();
  Allocation* const at = find(address).allocation;
  if (!at || at->freed || !at->is_imported() || at->address != address) return Result::InvalidValue;
  if (--at->physical->references == 0) retire(*at, "cuIpcCloseMemHandle");
  return Result::Success;
}

}  // namespace ropewalk::driver
