// What libcudart.so.13 has of its own.
#include "lib/driver/runtime/advice.h"
#include "lib/driver/runtime/any_node.h"
#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/copy.h"
#include "lib/driver/runtime/graph_edges.h"
#include "lib/driver/runtime/versions.h"

using namespace ropewalk::driver::runtime;

const int ropewalk::driver::runtime::runtime_version = 13000;
const VersionErrors ropewalk::driver::runtime::version_errors = {.impossible_sizes = invalid_value,
                                                                 .unknown_function = invalid_handle};

ROPEWALK_RUNTIME(cudaGetDeviceProperties, void* to, int device) {
  return run(__func__, [&] { return write_properties(to, device, 13); });
}

ROPEWALK_RUNTIME(cudaGraphAddNode, void** to, void* graph, void* const* after, const void* edges, std::size_t count,
                 AnyNode* node) {
  return add_node(to, graph, after, edges, count, node);
}

extern "C" int cuStreamGetCaptureInfo_v3(void*, int*, ropewalk::u64*, void**, void* const**, const void**, std::size_t*)
    __attribute__((weak));

ROPEWALK_RUNTIME(cudaStreamGetCaptureInfo, void* stream, int* status, ropewalk::u64* id, void** graph,
                 void* const** after, const void** data, std::size_t* count) {
  return run("cudaStreamGetCaptureInfo",
             [&] { return ROPEWALK_DRIVER(cuStreamGetCaptureInfo_v3, stream, status, id, graph, after, data, count); });
}
ROPEWALK_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);

ROPEWALK_EDGE_FUNCTIONS()

ROPEWALK_RUNTIME(cudaMemPrefetchAsync, const void* at, std::size_t bytes, MemoryLocation to, unsigned flags,
                 void* stream) {
  return prefetch(at, bytes, to, flags, stream);
}
ROPEWALK_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
ROPEWALK_RUNTIME(cudaMemAdvise, const void* at, std::size_t bytes, int what, MemoryLocation location) {
  return advise(at, bytes, what, location);
}

ROPEWALK_RUNTIME(cudaMemcpyBatchAsync, void** to, void** from, std::size_t* bytes, std::size_t count, void* attributes,
                 std::size_t* first, std::size_t kinds, void* stream) {
  return copy_batch(to, from, bytes, count, attributes, first, kinds, nullptr, stream);
}
ROPEWALK_PER_THREAD(cudaMemcpyBatchAsync, _ptsz);
ROPEWALK_RUNTIME(cudaMemcpy3DBatchAsync, std::size_t count, void* copies, ropewalk::u64 flags, void* stream) {
  return copy_batch_3d(count, copies, nullptr, flags, stream);
}
ROPEWALK_PER_THREAD(cudaMemcpy3DBatchAsync, _ptsz);
