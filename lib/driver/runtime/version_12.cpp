// What libcudart.so.12 has of its own.
#include "lib/driver/runtime/advice.h"
#include "lib/driver/runtime/any_node.h"
#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/copy.h"
#include "lib/driver/runtime/graph_edges.h"
#include "lib/driver/runtime/versions.h"

using namespace ropewalk::driver::runtime;

const int ropewalk::driver::runtime::runtime_version = 12090;
const VersionErrors ropewalk::driver::runtime::version_errors = {.impossible_sizes = invalid_configuration,
                                                                 .unknown_function = invalid_device_function};

ROPEWALK_RUNTIME(cudaGetDeviceProperties, void* to, int device) {
  return run(__func__, [&] { return write_properties(to, device, 11); });
}

ROPEWALK_RUNTIME(cudaGetDeviceProperties_v2, void* to, int device) {
  return run("cudaGetDeviceProperties", [&] { return write_properties(to, device, 12); });
}

ROPEWALK_RUNTIME(cudaGraphAddNode, void** to, void* graph, void* const* after, std::size_t count, AnyNode* node) {
  return add_node(to, graph, after, nullptr, count, node);
}
ROPEWALK_RUNTIME(cudaGraphAddNode_v2, void** to, void* graph, void* const* after, const void* edges, std::size_t count,
                 AnyNode* node) {
  return add_node(to, graph, after, edges, count, node);
}

extern "C" int cuStreamGetCaptureInfo_v3(void*, int*, ropewalk::u64*, void**, void* const**, const void**, std::size_t*)
    __attribute__((weak));

ROPEWALK_RUNTIME(cudaStreamGetCaptureInfo_v3, void* stream, int* status, ropewalk::u64* id, void** graph,
                 void* const** after, const void** data, std::size_t* count) {
  return run("cudaStreamGetCaptureInfo",
             [&] { return ROPEWALK_DRIVER(cuStreamGetCaptureInfo_v3, stream, status, id, graph, after, data, count); });
}
ROPEWALK_PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz);

ROPEWALK_RUNTIME(cudaStreamGetCaptureInfo_v2, void* stream, int* status, ropewalk::u64* id, void** graph,
                 void* const** after, std::size_t* count) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, nullptr, count);
}
ROPEWALK_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz);
ROPEWALK_RUNTIME(cudaStreamGetCaptureInfo, void* stream, int* status, ropewalk::u64* id) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
ROPEWALK_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);

ROPEWALK_EDGE_FUNCTIONS(_v2)

ROPEWALK_RUNTIME(cudaStreamUpdateCaptureDependencies, void* stream, void* const* after, std::size_t count,
                 unsigned flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, after, nullptr, count, flags);
}
ROPEWALK_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);

ROPEWALK_RUNTIME(cudaGraphGetEdges, void* graph, void** from, void** to, std::size_t* count) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}
ROPEWALK_RUNTIME(cudaGraphNodeGetDependencies, void* node, void** nodes, std::size_t* count) {
  return cudaGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}
ROPEWALK_RUNTIME(cudaGraphNodeGetDependentNodes, void* node, void** nodes, std::size_t* count) {
  return cudaGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}
ROPEWALK_RUNTIME(cudaGraphAddDependencies, void* graph, void* const* from, void* const* to, std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
ROPEWALK_RUNTIME(cudaGraphRemoveDependencies, void* graph, void* const* from, void* const* to, std::size_t count) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

static MemoryLocation location_of(int device) {
  constexpr int of_device = 1, of_host = 2, host = -1;  // cudaMemLocationType, cudaCpuDeviceId
  return device == host ? MemoryLocation{of_host, 0} : MemoryLocation{of_device, device};
}

ROPEWALK_RUNTIME(cudaMemPrefetchAsync, const void* at, std::size_t bytes, int device, void* stream) {
  return prefetch(at, bytes, location_of(device), 0, stream);
}
ROPEWALK_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
ROPEWALK_RUNTIME(cudaMemPrefetchAsync_v2, const void* at, std::size_t bytes, MemoryLocation to, unsigned flags,
                 void* stream) {
  return prefetch(at, bytes, to, flags, stream);
}
ROPEWALK_PER_THREAD(cudaMemPrefetchAsync_v2, _ptsz);
ROPEWALK_RUNTIME(cudaMemAdvise, const void* at, std::size_t bytes, int what, int device) {
  return advise(at, bytes, what, location_of(device));
}
ROPEWALK_RUNTIME(cudaMemAdvise_v2, const void* at, std::size_t bytes, int what, MemoryLocation location) {
  return advise(at, bytes, what, location);
}

ROPEWALK_RUNTIME(cudaMemcpyBatchAsync, void** to, void** from, std::size_t* bytes, std::size_t count, void* attributes,
                 std::size_t* first, std::size_t kinds, std::size_t* failed, void* stream) {
  return copy_batch(to, from, bytes, count, attributes, first, kinds, failed, stream);
}
ROPEWALK_PER_THREAD(cudaMemcpyBatchAsync, _ptsz);
ROPEWALK_RUNTIME(cudaMemcpy3DBatchAsync, std::size_t count, void* copies, std::size_t* failed, ropewalk::u64 flags,
                 void* stream) {
  return copy_batch_3d(count, copies, failed, flags, stream);
}
ROPEWALK_PER_THREAD(cudaMemcpy3DBatchAsync, _ptsz);
