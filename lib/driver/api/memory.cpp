// Memory: taking it, giving it back, and what there is.
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

int allocate(const Call& call, DevicePointer* address, u64 bytes, MemoryKind kind, const char* name) {
  if (!address || !bytes) return invalid_value;
  const Allocation* at = call->memory().allocate({.kind = kind, .device = call.device(), .bytes = bytes, .call = name});
  if (!at) return answer(Result::OutOfMemory);
  *address = at->address;
  return success;
}

}  // namespace

RW_CUDA cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  RW_CALL(call);
  return allocate(call, address, bytes, MemoryKind::Device, "cuMemAlloc");
}

RW_CUDA cuMemFree_v2(DevicePointer address) {
  RW_CALL(call);
  call->synchronize();
  return answer(call->memory().release(address, MemoryKind::Device, "cuMemFree"));
}

RW_CUDA cuMemAllocManaged(DevicePointer* address, std::size_t bytes, unsigned) {
  RW_CALL(call);
  return allocate(call, address, bytes, MemoryKind::Managed, "cuMemAllocManaged");
}

RW_CUDA cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  RW_CALL(call);
  *total = call->memory().limit();
  *free = *total - call->memory().used(call.device());
  return success;
}

RW_CUDA cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  RW_CALL(call);
  return answer(
      call->memory().copy({.to = {to}, .from = {u64(from)}, .bytes = bytes, .to_device = true}, "cuMemcpyHtoD"));
}

RW_CUDA cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  RW_CALL(call);
  call->synchronize();
  return answer(
      call->memory().copy({.to = {u64(to)}, .from = {from}, .bytes = bytes, .from_device = true}, "cuMemcpyDtoH"));
}

}  // namespace ropewalk::driver
