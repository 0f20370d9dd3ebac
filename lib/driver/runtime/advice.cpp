// Advice on managed memory.
#include "lib/driver/runtime/advice.h"

using namespace ropewalk::driver::runtime;
using ropewalk::u64;
using std::size_t;

extern "C" {
int cuMemPrefetchAsync_v2(u64, size_t, MemoryLocation, unsigned, void*) __attribute__((weak));
int cuMemPrefetchBatchAsync(void**, size_t*, size_t, MemoryLocation*, size_t*, size_t, u64, void*)
    __attribute__((weak));
int cuMemAdvise_v2(u64, size_t, int, MemoryLocation) __attribute__((weak));
int cuMemRangeGetAttribute(void*, size_t, int, u64, size_t) __attribute__((weak));
int cuMemRangeGetAttributes(void**, size_t*, int*, size_t, u64, size_t) __attribute__((weak));
}

namespace ropewalk::driver::runtime {

int prefetch(const void* at, size_t bytes, MemoryLocation to, unsigned flags, void* stream) {
  return run("cudaMemPrefetchAsync",
             [&] { return ROPEWALK_DRIVER(cuMemPrefetchAsync_v2, address_of(at), bytes, to, flags, stream); });
}

int advise(const void* at, size_t bytes, int what, MemoryLocation location) {
  return run("cudaMemAdvise", [&] { return ROPEWALK_DRIVER(cuMemAdvise_v2, address_of(at), bytes, what, location); });
}

}  // namespace ropewalk::driver::runtime

ROPEWALK_RUNTIME(cudaMemPrefetchBatchAsync, void** at, size_t* bytes, size_t count, MemoryLocation* to, size_t* first,
                 size_t kinds, u64 flags, void* stream) {
  return run(__func__, [&] {
    return ROPEWALK_DRIVER(cuMemPrefetchBatchAsync, at, bytes, count, to, first, kinds, flags, stream);
  });
}
ROPEWALK_PER_THREAD(cudaMemPrefetchBatchAsync, _ptsz);
ROPEWALK_RUNTIME(cudaMemRangeGetAttribute, void* data, size_t data_bytes, int attribute, const void* at, size_t bytes) {
  return run(__func__, [&] {
    return ROPEWALK_DRIVER(cuMemRangeGetAttribute, data, data_bytes, attribute, address_of(at), bytes);
  });
}
ROPEWALK_RUNTIME(cudaMemRangeGetAttributes, void** data, size_t* data_bytes, int* attributes, size_t count,
                 const void* at, size_t bytes) {
  return run(__func__, [&] {
    return ROPEWALK_DRIVER(cuMemRangeGetAttributes, data, data_bytes, attributes, count, address_of(at), bytes);
  });
}
