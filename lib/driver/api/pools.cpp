// Memory pools: each device has one of its own, and programs make more. All memory comes from the same range.
#include <map>
#include <set>

#include "lib/driver/api/api.h"
#include "lib/driver/api/location.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

// What a program may set of a pool and reads back: CUmemPool_attribute 1 to 4. The others tell its bytes.
struct Pool {
  u32 device = 0;
  u64 most = 0;  // bytes that it may have; 0: as many as the device has
  u64 attributes[5] = {0, 1, 1, 1, 0};
  u64 reserved = 0, most_reserved = 0;  // of the device, for what is allocated and for what will be
  std::shared_ptr<std::set<u32>> devices = std::make_shared<std::set<u32>>();  // that have access, besides its own
};

namespace {

Handles<Pool>& pools() {
  static Handles<Pool> all;
  return all;
}

Pool* default_pool(u32 device) {
  static std::map<u32, Pool*> all;
  Pool*& pool = all[device];
  if (pools().has(pool)) return pool;
  auto made = std::make_unique<Pool>();
  made->device = device;
  return pool = pools().add(std::move(made));
}

// From which cudaMallocAsync takes memory.
Pool*& current_pool(u32 device) {
  static std::map<u32, Pool*> all;
  Pool*& pool = all[device];
  if (!pools().has(pool)) pool = default_pool(device);
  return pool;
}

// CUmemPoolProps.
struct PoolWish {
  static constexpr int pinned = 1, managed = 2;  // CUmemAllocationType
  int type, handles;
  MemoryLocation location;
  void* security;
  u64 most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(PoolWish) == 88);

// What a pool reports of its device: its own device has all access, and nobody takes it away.
int check_pool_location(Session& session, const MemoryLocation& at) {
  const bool is_there = at.type == MemoryLocation::of_device && session.options().has_device(at.number);
  return is_there ? success : invalid_value;
}

constexpr u64 chunk = u64(32) << 20;  // that a pool takes of the device at a time
u64 in_chunks(u64 bytes) { return (bytes + chunk - 1) / chunk * chunk; }

// CUmemPool_attribute
constexpr unsigned threshold = 4, reserved_now = 5, most_reserved = 6, used_now = 7, most_used = 8;

// A pool takes memory of its device by as much at once, and gives back what is not allocated, but for its threshold.
void reserve(Session& session, Pool& pool, u64 kept) {
  const u64 used = session.memory().pool_bytes(pool.devices).used;
  pool.reserved = std::max(in_chunks(used), std::min(kept, pool.reserved));
  pool.most_reserved = std::max(pool.most_reserved, pool.reserved);
}

}  // namespace

RW_CUDA cuDeviceGetDefaultMemPool(Pool** pool, int device) {
  Held held;
  if (!pool || !held->options().has_device(device)) return invalid_value;
  *pool = default_pool(u32(device));
  return success;
}
RW_CUDA cuDeviceGetMemPool(Pool** pool, int device) {
  Held held;
  if (!pool || device < 0 || u32(device) >= held->options().devices) return invalid_value;
  *pool = current_pool(u32(device));
  return success;
}

RW_CUDA cuDeviceSetMemPool(int device, Pool* pool) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (device < 0 || u32(device) != pool->device) return invalid_value;
  current_pool(pool->device) = pool;
  return success;
}

// Memory of the host is memory of device 0 here.
RW_CUDA cuMemPoolCreate(Pool** pool, const PoolWish* wish) {
  Held held;
  if (!pool || !wish || (wish->type != PoolWish::pinned && wish->type != PoolWish::managed)) return invalid_value;
  const bool is_of_host = wish->location.type > MemoryLocation::of_device;
  if (!is_of_host && check_pool_location(*held, wish->location)) return invalid_value;
  auto made = std::make_unique<Pool>();
  made->device = is_of_host ? 0 : u32(wish->location.number);
  made->most = in_chunks(wish->most_bytes);
  *pool = pools().add(std::move(made));
  return success;
}

// Whether the pools are those of a device; others are not there.
static int check_is_of_device(const char* function, const MemoryLocation* at, int type) {
  if (!at || (type != PoolWish::pinned && type != PoolWish::managed)) return invalid_value;
  if (type == PoolWish::pinned && at->type == MemoryLocation::of_device) return success;
  tell_unsupported(function);
  return answer(Result::NotSupported);
}
RW_CUDA cuMemGetDefaultMemPool(Pool** pool, const MemoryLocation* at, int type) {
  if (const int no = check_is_of_device(__func__, at, type)) return no;
  return cuDeviceGetDefaultMemPool(pool, at->number);
}
RW_CUDA cuMemGetMemPool(Pool** pool, const MemoryLocation* at, int type) {
  if (const int no = check_is_of_device(__func__, at, type)) return no;
  return cuDeviceGetMemPool(pool, at->number);
}
RW_CUDA cuMemSetMemPool(const MemoryLocation* at, int type, Pool* pool) {
  if (const int no = check_is_of_device(__func__, at, type)) return no;
  return cuDeviceSetMemPool(at->number, pool);
}

RW_CUDA cuMemPoolDestroy(Pool* pool) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (pool == default_pool(pool->device)) return invalid_value;  // "cannot be destroyed"
  // Another pool may get its address; its memory stays until it is freed.
  if (!held->memory().pool_bytes(pool->devices).used) held->memory().forget_pool(pool->devices);
  pools().remove(pool);
  return success;
}

RW_CUDA cuMemPoolTrimTo(Pool* pool, std::size_t kept) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  reserve(*held, *pool, kept);
  return success;
}

RW_CUDA cuMemPoolSetAccess(Pool* pool, const AccessWish* wishes, std::size_t count) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (!has_list(wishes, count)) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    const auto& [at, flags] = wishes[n];
    if (const int no = check_pool_location(*held, at)) return no;
    if (u32(at.number) == pool->device) {
      if (flags != AccessWish::read_and_write) return invalid_value;
    } else if (flags) {
      pool->devices->insert(u32(at.number));
    } else {
      pool->devices->erase(u32(at.number));
    }
  }
  return success;
}

RW_CUDA cuMemPoolGetAccess(int* flags, Pool* pool, const MemoryLocation* at) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (!flags || !at) return invalid_value;
  if (const int no = check_pool_location(*held, *at)) return no;
  const bool has_access = u32(at->number) == pool->device || pool->devices->contains(u32(at->number));
  *flags = has_access ? AccessWish::read_and_write : 0;
  return success;
}

RW_CUDA cuMemPoolSetAttribute(Pool* pool, unsigned attribute, void* value) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (!value || !attribute || attribute > most_used) return invalid_value;
  if (attribute > threshold) {
    // The most so far begins again from what there is now.
    if (attribute == reserved_now || attribute == used_now || *static_cast<u64*>(value)) return invalid_value;
    auto& bytes = held->memory().pool_bytes(pool->devices);
    (attribute == most_used ? bytes.most_used : pool->most_reserved) =
        attribute == most_used ? bytes.used : pool->reserved;
    return success;
  }
  pool->attributes[attribute] = attribute < threshold ? *static_cast<int*>(value) : *static_cast<u64*>(value);
  return success;
}

RW_CUDA cuMemPoolGetAttribute(Pool* pool, unsigned attribute, void* value) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  if (!value || !attribute || attribute > most_used) return invalid_value;
  reserve(*held, *pool, pool->attributes[threshold]);
  const auto& bytes = held->memory().pool_bytes(pool->devices);
  if (attribute < threshold)
    *static_cast<int*>(value) = int(pool->attributes[attribute]);
  else
    *static_cast<u64*>(value) = attribute == threshold       ? pool->attributes[threshold]
                                : attribute == reserved_now  ? pool->reserved
                                : attribute == most_reserved ? pool->most_reserved
                                : attribute == used_now      ? bytes.used
                                                             : bytes.most_used;
  return success;
}

int allocate_in_order(DevicePointer* address, std::size_t bytes, Stream* stream, u32 device);  // memory.cpp

static int allocate_of(Session& session, Pool* pool, DevicePointer* address, std::size_t bytes, Stream* stream) {
  const u64 used = session.memory().pool_bytes(pool->devices).used;
  if (pool->most && (bytes > pool->most || used > pool->most - bytes)) return answer(Result::OutOfMemory);
  const int result = allocate_in_order(address, bytes, stream, pool->device);
  if (result != success) return result;
  const ResolvedAddress resolved = session.memory().find(*address);
  if (resolved.allocation && !resolved.allocation->is_of_graph) {
    session.memory().put_into_pool(*resolved.allocation, pool->devices);
    reserve(session, *pool, ~u64(0));
  }
  return success;
}

RW_CUDA cuMemAllocAsync(DevicePointer* address, std::size_t bytes, Stream* stream) {
  RW_CALL(call);
  RW_NEEDS(address);
  if (!is_stream(*call, stream)) return answer(Result::InvalidHandle);
  const u32 device = is_default(stream) ? call.device() : stream->context->device;
  return allocate_of(*call, current_pool(device), address, bytes, stream);
}

RW_CUDA cuMemAllocFromPoolAsync(DevicePointer* address, std::size_t bytes, Pool* pool, Stream* stream) {
  Held held;
  if (!pools().has(pool)) return answer(Result::InvalidHandle);
  RW_NEEDS(address);
  return allocate_of(*held, pool, address, bytes, stream);
}

}  // namespace ropewalk::driver
