// Memory pools: each device has one, and all memory comes from the same place.
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

// What a program may set of a pool and reads back: CUmemPool_attribute 1 to 8.
struct Pool {
  u32 device = 0;
  u64 attributes[9] = {0, 1, 1, 1, 0, 0, 0, 0, 0};
};

namespace {

Handles<Pool>& pools() {
  static Handles<Pool> all;
  return all;
}

Pool* default_pool(u32 device) {
  for (const auto& [handle, pool] : pools().all()) {
    if (pool->device == device) return pool.get();
  }
  auto made = std::make_unique<Pool>();
  made->device = device;
  return pools().add(std::move(made));
}

constexpr unsigned threshold = 4, reserved_now = 5, last_attribute = 8;

}  // namespace

RW_CUDA cuDeviceGetDefaultMemPool(Pool** pool, int device) {
  Held held;
  if (!pool || device < 0 || u32(device) >= held->options().devices) return invalid_value;
  *pool = default_pool(u32(device));
  return success;
}
RW_CUDA cuDeviceGetMemPool(Pool** pool, int device) { return cuDeviceGetDefaultMemPool(pool, device); }

RW_CUDA cuDeviceSetMemPool(int, Pool* pool) {
  Held held;
  return pools().has(pool) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuMemPoolCreate(Pool** pool, const void*) {
  RW_CALL(call);
  auto made = std::make_unique<Pool>();
  made->device = call.device();
  *pool = pools().add(std::move(made));
  return success;
}

RW_CUDA cuMemPoolDestroy(Pool* pool) {
  Held held;
  return pools().remove(pool) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuMemPoolTrimTo(Pool* pool, std::size_t) {
  Held held;
  return pools().has(pool) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuMemPoolSetAccess(Pool* pool, const void*, std::size_t) {
  Held held;
  return pools().has(pool) ? success : answer(Result::InvalidHandle);
}

RW_CUDA cuMemPoolSetAttribute(Pool* pool, unsigned attribute, void* value) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (!attribute || attribute > last_attribute) return invalid_value;
  pool->attributes[attribute] = attribute < threshold ? *static_cast<int*>(value) : *static_cast<u64*>(value);
  return success;
}

RW_CUDA cuMemPoolGetAttribute(Pool* pool, unsigned attribute, void* value) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (!attribute || attribute > last_attribute) return invalid_value;
  const u64 kept = attribute >= reserved_now ? held->memory().used(pool->device) : pool->attributes[attribute];
  if (attribute < threshold)
    *static_cast<int*>(value) = int(kept);
  else
    *static_cast<u64*>(value) = kept;
  return success;
}

RW_CUDA cuMemAllocAsync(DevicePointer* address, std::size_t bytes, Stream* stream);
RW_CUDA cuMemAllocFromPoolAsync(DevicePointer* address, std::size_t bytes, Pool* pool, Stream* stream) {
  Held held;
  return pools().has(pool) ? cuMemAllocAsync(address, bytes, stream) : answer(Result::InvalidHandle);
}

}  // namespace ropewalk::driver
