// Memory: taking it, giving it back, and what there is.
#include <sys/mman.h>
#include <unistd.h>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

int allocate(Session& session, u32 device, DevicePointer* address, u64 bytes, MemoryKind kind, const char* name,
             Context* context = nullptr) {
  if (!address || !bytes) return invalid_value;
  const Allocation* at =
      session.memory().allocate({.kind = kind, .device = device, .bytes = bytes, .call = name, .context = context});
  if (!at) return answer(Result::OutOfMemory);
  *address = at->address;
  return success;
}

int allocate_at_once(const Call& call, DevicePointer* address, u64 bytes, MemoryKind kind, const char* name) {
  const Result result = check_unsafe(*call);
  return result == Result::Success ? allocate(*call, call.device(), address, bytes, kind, name, call.context())
                                   : answer(result);
}

// Frees wait for all that has been given to the device, as drivers do it.
int release(const Call& call, DevicePointer address, MemoryKind kind, const char* name) {
  if (const Result result = check_unsafe(*call); result != Result::Success) return answer(result);
  wait_for_all(*call);
  call->synchronize();
  return answer(call->memory().release(address, kind, name));
}

}  // namespace

RW_CUDA cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  RW_CALL(call);
  return allocate_at_once(call, address, bytes, MemoryKind::Device, "cuMemAlloc");
}

RW_CUDA cuMemAllocPitch_v2(DevicePointer* address, std::size_t* pitch, std::size_t width, std::size_t height,
                           unsigned element_bytes) {
  RW_CALL(call);
  if (!pitch || !width || !height || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)) {
    return invalid_value;
  }
  constexpr u64 alignment = 512;  // as devices of today have it
  *pitch = (width + alignment - 1) / alignment * alignment;
  return allocate_at_once(call, address, *pitch * height, MemoryKind::Device, "cuMemAllocPitch");
}

RW_CUDA cuMemFree_v2(DevicePointer address) {
  RW_CALL(call);
  return release(call, address, MemoryKind::Device, "cuMemFree");
}

RW_CUDA cuMemAllocManaged(DevicePointer* address, std::size_t bytes, unsigned flags) {
  RW_CALL(call);
  constexpr unsigned global = 1, of_host = 2;  // CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST
  if (flags != global && flags != of_host) return invalid_value;
  return allocate_at_once(call, address, bytes, MemoryKind::Managed, "cuMemAllocManaged");
}

RW_CUDA cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  RW_CALL(call);
  if (!free || !total) return invalid_value;
  *total = call->memory().limit();
  *free = *total - call->memory().used(call.device());
  return success;
}

// Pinned memory of the host.

RW_CUDA cuMemHostAlloc(void** data, std::size_t bytes, unsigned flags) {
  RW_CALL(call);
  constexpr unsigned known = 7;  // portable, mapped, write-combined
  if (flags & ~known) return invalid_value;
  DevicePointer address = 0;
  const int result = allocate_at_once(call, &address, bytes, MemoryKind::Host, "cuMemHostAlloc");
  if (result != success || !data) return data ? result : invalid_value;
  constexpr unsigned is_mapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP, as all of it is
  call->memory().find(address).allocation->host_flags = flags | is_mapped;
  *data = reinterpret_cast<void*>(address);
  return result;
}
RW_CUDA cuMemAllocHost_v2(void** data, std::size_t bytes) { return cuMemHostAlloc(data, bytes, 0); }

RW_CUDA cuMemFreeHost(void* data) {
  RW_CALL(call);
  return release(call, u64(data), MemoryKind::Host, "cuMemFreeHost");
}

// Whether memory of the process is there, as far as whole pages go.
static bool is_mapped(const void* data, std::size_t bytes) {
  const u64 page = u64(sysconf(_SC_PAGESIZE)), first = u64(data) / page * page;
  const u64 last = u64(data) + bytes < u64(data) ? ~u64(0) / page * page : u64(data) + bytes;
  return msync(reinterpret_cast<void*>(first), last - first, MS_ASYNC) == 0;
}

RW_CUDA cuMemHostRegister_v2(void* data, std::size_t bytes, unsigned flags) {
  RW_CALL(call);
  constexpr unsigned known = 15, read_only = 8;  // portable, mapped, of a device, read alone
  if (!data || !bytes || (flags & ~known) || !is_mapped(data, bytes)) return invalid_value;
  if (flags & read_only) return answer(Result::NotSupported);  // as the device's attribute says
  const ResolvedAddress resolved = call->memory().find(u64(data));
  if (resolved.allocation && !resolved.allocation->freed) return answer(Result::HostMemoryAlreadyRegistered);
  const Allocation* at = call->memory().lend(data, bytes, "cuMemHostRegister");
  return at ? success : answer(Result::HostMemoryAlreadyRegistered);
}
RW_CUDA cuMemHostRegister(void* data, std::size_t bytes, unsigned flags) {
  return cuMemHostRegister_v2(data, bytes, flags);
}

RW_CUDA cuMemHostUnregister(void* data) {
  RW_CALL(call);
  wait_for_all(*call);
  return answer(call->memory().take_back(data, "cuMemHostUnregister"));
}

RW_CUDA cuMemHostGetDevicePointer_v2(DevicePointer* address, void* data, unsigned flags) {
  RW_CALL(call);
  const ResolvedAddress resolved = call->memory().find(u64(data));
  if (!address || flags || !resolved.allocation || resolved.allocation->freed) return invalid_value;
  *address = u64(data);
  return success;
}

RW_CUDA cuMemHostGetFlags(unsigned* flags, void* data) {
  RW_CALL(call);
  const ResolvedAddress resolved = call->memory().find(u64(data));
  if (!flags || !resolved.allocation || resolved.allocation->kind != MemoryKind::Host) return invalid_value;
  *flags = resolved.allocation->host_flags;
  return success;
}

// In the order of a stream.

int allocate_in_order(DevicePointer* address, std::size_t bytes, Stream* stream, u32 device) {
  const Call call;
  const bool needs_none = !is_default(stream) && call.error() == Result::InvalidContext;
  if (!needs_none && call.error() != Result::Success) return answer(call.error());
  if (!is_stream(*call, stream)) return answer(Result::InvalidHandle);
  Session& session = *call;
  if (Stream* const captured = capturing(session, stream)) {
    if (!address || !bytes) return invalid_value;
    if (const Result result = check_work(session, stream); result != Result::Success) return answer(result);
    GraphNode* const node =
        add_allocation(session, *captured->capture->graph, captured->context->device, bytes, captured->after);
    if (!node) return answer(Result::OutOfMemory);
    captured->after = {node};
    *address = node->memory->allocation().address;
    return success;
  }
  // The address is known at once.
  const auto take = [&] { return allocate(session, device, address, bytes, MemoryKind::Device, "cuMemAllocAsync"); };
  if (!tickets_before(session, stream_line_of(session, stream)).empty()) return take();
  return answer(submit(session, stream, NodeKind::Empty, [&] {
    const Result result = Result(take());
    if (result == Result::Success) touch_memory(session, *address, "cuMemAllocAsync", "makes");
    return result;
  }));
}

RW_CUDA cuMemFreeAsync(DevicePointer address, Stream* stream) {
  RW_CALL(call);
  Session& session = *call;
  if (!is_stream(session, stream)) return answer(Result::InvalidHandle);
  if (Stream* const captured = capturing(session, stream)) {
    if (const Result result = check_work(session, stream); result != Result::Success) return answer(result);
    GraphNode* const node = add_free(session, *captured->capture->graph, address, captured->after);
    if (!node) return invalid_value;
    captured->after = {node};
    return success;
  }
  return answer(submit(session, stream, NodeKind::Empty, [&session, address] {
    touch_memory(session, address, "cuMemFreeAsync", "frees");
    return session.memory().release(address, MemoryKind::Device, "cuMemFreeAsync");
  }));
}

}  // namespace ropewalk::driver
