// Graphs, and what is loaded by hand (libraries): each is the driver's own.
#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/state.h"

namespace ropewalk::driver::runtime {

namespace {

// cudaKernelNodeParams, which is the beginning of the driver's own.
struct KernelNode {
  const void* function;
  Dim grid, block;
  unsigned shared_bytes;
  void **arguments, **extra;
};
struct DriverKernelNode {
  KernelNode same;
  void *kernel, *context;
};
static_assert(sizeof(KernelNode) == 56 && sizeof(DriverKernelNode) == 72);

// Calls body() with the driver's parameters.
template <class Body>
int with_kernel(const char* name, const KernelNode* node, const Body& body) {
  return run(name, has_all(node), [&] {
    DriverKernelNode same = {*node, nullptr, nullptr};
    void* function = nullptr;
    if (const int error = find_function(node->function, &function)) return error;
    same.same.function = function;
    return body(&same);
  });
}

void* current_context() {
  void* context = nullptr;
  ROPEWALK_DRIVER(cuCtxGetCurrent, &context);
  return context;
}

}  // namespace

}  // namespace ropewalk::driver::runtime

using namespace ropewalk::driver::runtime;
using ropewalk::u64;
using std::size_t;

extern "C" {
#define ROPEWALK_WEAK(name, ...) int name(__VA_ARGS__) __attribute__((weak))
ROPEWALK_WEAK(cuGraphCreate, void**, unsigned);
ROPEWALK_WEAK(cuGraphDestroy, void*);
ROPEWALK_WEAK(cuGraphClone, void**, void*);
ROPEWALK_WEAK(cuGraphInstantiateWithFlags, void**, void*, u64);
ROPEWALK_WEAK(cuGraphInstantiateWithParams, void**, void*, void*);
ROPEWALK_WEAK(cuGraphExecDestroy, void*);
ROPEWALK_WEAK(cuGraphExecUpdate_v2, void*, void*, void*);
ROPEWALK_WEAK(cuGraphLaunch, void*, void*);
ROPEWALK_WEAK(cuGraphUpload, void*, void*);
ROPEWALK_WEAK(cuGraphGetNodes, void*, void**, size_t*);
ROPEWALK_WEAK(cuGraphNodeGetType, void*, int*);
ROPEWALK_WEAK(cuGraphAddKernelNode_v2, void**, void*, void* const*, size_t, const void*);
ROPEWALK_WEAK(cuGraphExecKernelNodeSetParams_v2, void*, void*, const void*);
ROPEWALK_WEAK(cuGraphKernelNodeGetParams_v2, void*, void*);
ROPEWALK_WEAK(cuGraphKernelNodeSetParams_v2, void*, const void*);
ROPEWALK_WEAK(cuGraphKernelNodeGetAttribute, void*, int, void*);
ROPEWALK_WEAK(cuGraphKernelNodeSetAttribute, void*, int, const void*);
ROPEWALK_WEAK(cuGraphKernelNodeCopyAttributes, void*, void*);
ROPEWALK_WEAK(cuGraphMemsetNodeGetParams, void*, void*);
ROPEWALK_WEAK(cuGraphMemsetNodeSetParams, void*, const void*);
ROPEWALK_WEAK(cuGraphExecMemsetNodeSetParams, void*, void*, const void*, void*);
ROPEWALK_WEAK(cuGraphHostNodeGetParams, void*, void*);
ROPEWALK_WEAK(cuGraphHostNodeSetParams, void*, const void*);
ROPEWALK_WEAK(cuGraphExecHostNodeSetParams, void*, void*, const void*);
ROPEWALK_WEAK(cuGraphGetRootNodes, void*, void**, size_t*);
ROPEWALK_WEAK(cuGraphDestroyNode, void*);
ROPEWALK_WEAK(cuGraphAddMemsetNode, void**, void*, void* const*, size_t, const void*, void*);
ROPEWALK_WEAK(cuGraphAddHostNode, void**, void*, void* const*, size_t, const void*);
ROPEWALK_WEAK(cuGraphAddEmptyNode, void**, void*, void* const*, size_t);
ROPEWALK_WEAK(cuGraphAddChildGraphNode, void**, void*, void* const*, size_t, void*);
ROPEWALK_WEAK(cuGraphExecChildGraphNodeSetParams, void*, void*, void*);
ROPEWALK_WEAK(cuGraphChildGraphNodeGetGraph, void*, void**);
ROPEWALK_WEAK(cuGraphNodeSetEnabled, void*, void*, unsigned);
ROPEWALK_WEAK(cuGraphNodeGetEnabled, void*, void*, unsigned*);
ROPEWALK_WEAK(cuGraphDebugDotPrint, void*, const char*, unsigned);
ROPEWALK_WEAK(cuUserObjectCreate, void**, void*, void (*)(void*), unsigned, unsigned);
ROPEWALK_WEAK(cuUserObjectRetain, void*, unsigned);
ROPEWALK_WEAK(cuUserObjectRelease, void*, unsigned);
ROPEWALK_WEAK(cuGraphRetainUserObject, void*, void*, unsigned, unsigned);
ROPEWALK_WEAK(cuGraphReleaseUserObject, void*, void*, unsigned);
ROPEWALK_WEAK(cuGraphConditionalHandleCreate, u64*, void*, void*, unsigned, unsigned);
ROPEWALK_WEAK(cuGraphAddMemAllocNode, void**, void*, void* const*, size_t, void*);
ROPEWALK_WEAK(cuGraphAddMemFreeNode, void**, void*, void* const*, size_t, u64);
ROPEWALK_WEAK(cuGraphMemAllocNodeGetParams, void*, void*);
ROPEWALK_WEAK(cuGraphMemFreeNodeGetParams, void*, void*);
ROPEWALK_WEAK(cuDeviceGraphMemTrim, int);
ROPEWALK_WEAK(cuDeviceGetGraphMemAttribute, int, int, void*);
ROPEWALK_WEAK(cuDeviceSetGraphMemAttribute, int, int, void*);
ROPEWALK_WEAK(cuLibraryLoadData, void**, const void*, int*, void**, unsigned, int*, void**, unsigned);
ROPEWALK_WEAK(cuLibraryLoadFromFile, void**, const char*, int*, void**, unsigned, int*, void**, unsigned);
ROPEWALK_WEAK(cuLibraryUnload, void*);
ROPEWALK_WEAK(cuLibraryGetKernel, void**, void*, const char*);
ROPEWALK_WEAK(cuLibraryGetKernelCount, unsigned*, void*);
ROPEWALK_WEAK(cuLibraryEnumerateKernels, void**, unsigned, void*);
ROPEWALK_WEAK(cuLibraryGetGlobal, u64*, size_t*, void*, const char*);
ROPEWALK_WEAK(cuLibraryGetManaged, u64*, size_t*, void*, const char*);
#undef ROPEWALK_WEAK
}

#define ROPEWALK_SAME(function, ...) \
  return run(__func__, [&] { return ROPEWALK_DRIVER(function __VA_OPT__(, ) __VA_ARGS__); })

ROPEWALK_RUNTIME(cudaGraphCreate, void** graph, unsigned flags) { ROPEWALK_SAME(cuGraphCreate, graph, flags); }
ROPEWALK_RUNTIME(cudaGraphDestroy, void* graph) { ROPEWALK_SAME(cuGraphDestroy, graph); }
ROPEWALK_RUNTIME(cudaGraphClone, void** to, void* graph) { ROPEWALK_SAME(cuGraphClone, to, graph); }
ROPEWALK_RUNTIME(cudaGraphInstantiateWithFlags, void** to, void* graph, u64 flags) {
  ROPEWALK_SAME(cuGraphInstantiateWithFlags, to, graph, flags);
}
ROPEWALK_RUNTIME(cudaGraphInstantiate, void** to, void* graph, u64 flags) {
  ROPEWALK_SAME(cuGraphInstantiateWithFlags, to, graph, flags);
}
ROPEWALK_RUNTIME(cudaGraphInstantiateWithParams, void** to, void* graph, void* parameters) {
  ROPEWALK_SAME(cuGraphInstantiateWithParams, to, graph, parameters);
}
ROPEWALK_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);
ROPEWALK_RUNTIME(cudaGraphExecDestroy, void* graph) { ROPEWALK_SAME(cuGraphExecDestroy, graph); }
ROPEWALK_RUNTIME(cudaGraphExecUpdate, void* graph, void* from, void* result) {
  ROPEWALK_SAME(cuGraphExecUpdate_v2, graph, from, result);
}
ROPEWALK_RUNTIME(cudaGraphLaunch, void* graph, void* stream) { ROPEWALK_SAME(cuGraphLaunch, graph, stream); }
ROPEWALK_PER_THREAD(cudaGraphLaunch, _ptsz);
ROPEWALK_RUNTIME(cudaGraphUpload, void* graph, void* stream) { ROPEWALK_SAME(cuGraphUpload, graph, stream); }
ROPEWALK_PER_THREAD(cudaGraphUpload, _ptsz);
ROPEWALK_RUNTIME(cudaGraphGetNodes, void* graph, void** nodes, size_t* count) {
  ROPEWALK_SAME(cuGraphGetNodes, graph, nodes, count);
}
ROPEWALK_RUNTIME(cudaGraphNodeGetType, void* node, int* type) { ROPEWALK_SAME(cuGraphNodeGetType, node, type); }

ROPEWALK_RUNTIME(cudaGraphAddKernelNode, void** to, void* graph, void* const* after, size_t count,
                 const KernelNode* node) {
  return with_kernel(__func__, node, [&](const DriverKernelNode* same) {
    return ROPEWALK_DRIVER(cuGraphAddKernelNode_v2, to, graph, after, count, same);
  });
}
ROPEWALK_RUNTIME(cudaGraphExecKernelNodeSetParams, void* graph, void* at, const KernelNode* node) {
  return with_kernel(__func__, node, [&](const DriverKernelNode* same) {
    return ROPEWALK_DRIVER(cuGraphExecKernelNodeSetParams_v2, graph, at, same);
  });
}
ROPEWALK_RUNTIME(cudaGraphKernelNodeSetParams, void* at, const KernelNode* node) {
  return with_kernel(__func__, node, [&](const DriverKernelNode* same) {
    return ROPEWALK_DRIVER(cuGraphKernelNodeSetParams_v2, at, same);
  });
}
// The function is returned as the pointer that the program knows it by.
ROPEWALK_RUNTIME(cudaGraphKernelNodeGetParams, void* at, KernelNode* node) {
  return run(__func__, has_all(node), [&] {
    DriverKernelNode same;
    const int error = ROPEWALK_DRIVER(cuGraphKernelNodeGetParams_v2, at, &same);
    if (error) return error;
    *node = same.same;
    node->function = symbol_of(same.same.function);
    return int(success);
  });
}
ROPEWALK_RUNTIME(cudaGraphMemsetNodeGetParams, void* at, void* fill) {
  ROPEWALK_SAME(cuGraphMemsetNodeGetParams, at, fill);
}
ROPEWALK_RUNTIME(cudaGraphMemsetNodeSetParams, void* at, const void* fill) {
  ROPEWALK_SAME(cuGraphMemsetNodeSetParams, at, fill);
}
ROPEWALK_RUNTIME(cudaGraphExecMemsetNodeSetParams, void* graph, void* at, const void* fill) {
  ROPEWALK_SAME(cuGraphExecMemsetNodeSetParams, graph, at, fill, current_context());
}
ROPEWALK_RUNTIME(cudaGraphHostNodeGetParams, void* at, void* call) {
  ROPEWALK_SAME(cuGraphHostNodeGetParams, at, call);
}
ROPEWALK_RUNTIME(cudaGraphHostNodeSetParams, void* at, const void* call) {
  ROPEWALK_SAME(cuGraphHostNodeSetParams, at, call);
}
ROPEWALK_RUNTIME(cudaGraphExecHostNodeSetParams, void* graph, void* at, const void* call) {
  ROPEWALK_SAME(cuGraphExecHostNodeSetParams, graph, at, call);
}
ROPEWALK_RUNTIME(cudaGraphGetRootNodes, void* graph, void** nodes, size_t* count) {
  ROPEWALK_SAME(cuGraphGetRootNodes, graph, nodes, count);
}
ROPEWALK_RUNTIME(cudaGraphKernelNodeGetAttribute, void* node, int id, void* value) {
  ROPEWALK_SAME(cuGraphKernelNodeGetAttribute, node, id, value);
}
ROPEWALK_RUNTIME(cudaGraphKernelNodeSetAttribute, void* node, int id, const void* value) {
  ROPEWALK_SAME(cuGraphKernelNodeSetAttribute, node, id, value);
}
ROPEWALK_RUNTIME(cudaGraphKernelNodeCopyAttributes, void* to, void* from) {
  ROPEWALK_SAME(cuGraphKernelNodeCopyAttributes, to, from);
}
ROPEWALK_RUNTIME(cudaGraphDestroyNode, void* node) { ROPEWALK_SAME(cuGraphDestroyNode, node); }
ROPEWALK_RUNTIME(cudaGraphAddMemsetNode, void** to, void* graph, void* const* after, size_t count, const void* fill) {
  ROPEWALK_SAME(cuGraphAddMemsetNode, to, graph, after, count, fill, current_context());
}
ROPEWALK_RUNTIME(cudaGraphAddHostNode, void** to, void* graph, void* const* after, size_t count, const void* call) {
  ROPEWALK_SAME(cuGraphAddHostNode, to, graph, after, count, call);
}
ROPEWALK_RUNTIME(cudaGraphAddEmptyNode, void** to, void* graph, void* const* after, size_t count) {
  ROPEWALK_SAME(cuGraphAddEmptyNode, to, graph, after, count);
}
ROPEWALK_RUNTIME(cudaGraphAddChildGraphNode, void** to, void* graph, void* const* after, size_t count, void* child) {
  ROPEWALK_SAME(cuGraphAddChildGraphNode, to, graph, after, count, child);
}
ROPEWALK_RUNTIME(cudaGraphExecChildGraphNodeSetParams, void* graph, void* at, void* child) {
  ROPEWALK_SAME(cuGraphExecChildGraphNodeSetParams, graph, at, child);
}
ROPEWALK_RUNTIME(cudaGraphChildGraphNodeGetGraph, void* node, void** child) {
  ROPEWALK_SAME(cuGraphChildGraphNodeGetGraph, node, child);
}
ROPEWALK_RUNTIME(cudaGraphNodeSetEnabled, void* graph, void* node, unsigned is_on) {
  ROPEWALK_SAME(cuGraphNodeSetEnabled, graph, node, is_on);
}
ROPEWALK_RUNTIME(cudaGraphNodeGetEnabled, void* graph, void* node, unsigned* is_on) {
  ROPEWALK_SAME(cuGraphNodeGetEnabled, graph, node, is_on);
}
ROPEWALK_RUNTIME(cudaGraphDebugDotPrint, void* graph, const char* path, unsigned flags) {
  ROPEWALK_SAME(cuGraphDebugDotPrint, graph, path, flags);
}
ROPEWALK_RUNTIME(cudaUserObjectCreate, void** object, void* data, void (*destroy)(void*), unsigned count,
                 unsigned flags) {
  ROPEWALK_SAME(cuUserObjectCreate, object, data, destroy, count, flags);
}
ROPEWALK_RUNTIME(cudaUserObjectRetain, void* object, unsigned count) {
  ROPEWALK_SAME(cuUserObjectRetain, object, count);
}
ROPEWALK_RUNTIME(cudaUserObjectRelease, void* object, unsigned count) {
  ROPEWALK_SAME(cuUserObjectRelease, object, count);
}
ROPEWALK_RUNTIME(cudaGraphRetainUserObject, void* graph, void* object, unsigned count, unsigned flags) {
  ROPEWALK_SAME(cuGraphRetainUserObject, graph, object, count, flags);
}
ROPEWALK_RUNTIME(cudaGraphReleaseUserObject, void* graph, void* object, unsigned count) {
  ROPEWALK_SAME(cuGraphReleaseUserObject, graph, object, count);
}
ROPEWALK_RUNTIME(cudaGraphConditionalHandleCreate, u64* condition, void* graph, unsigned initial, unsigned flags) {
  ROPEWALK_SAME(cuGraphConditionalHandleCreate, condition, graph, nullptr, initial, flags);
}

ROPEWALK_RUNTIME(cudaGraphAddMemAllocNode, void** to, void* graph, void* const* after, size_t count, void* memory) {
  ROPEWALK_SAME(cuGraphAddMemAllocNode, to, graph, after, count, memory);
}
ROPEWALK_RUNTIME(cudaGraphAddMemFreeNode, void** to, void* graph, void* const* after, size_t count, void* at) {
  ROPEWALK_SAME(cuGraphAddMemFreeNode, to, graph, after, count, address_of(at));
}
ROPEWALK_RUNTIME(cudaGraphMemAllocNodeGetParams, void* node, void* memory) {
  ROPEWALK_SAME(cuGraphMemAllocNodeGetParams, node, memory);
}
ROPEWALK_RUNTIME(cudaGraphMemFreeNodeGetParams, void* node, void* at) {
  ROPEWALK_SAME(cuGraphMemFreeNodeGetParams, node, at);
}
ROPEWALK_RUNTIME(cudaDeviceGraphMemTrim, int device) { ROPEWALK_SAME(cuDeviceGraphMemTrim, device); }
ROPEWALK_RUNTIME(cudaDeviceGetGraphMemAttribute, int device, int attribute, void* value) {
  ROPEWALK_SAME(cuDeviceGetGraphMemAttribute, device, attribute, value);
}
ROPEWALK_RUNTIME(cudaDeviceSetGraphMemAttribute, int device, int attribute, void* value) {
  ROPEWALK_SAME(cuDeviceSetGraphMemAttribute, device, attribute, value);
}

ROPEWALK_RUNTIME(cudaLibraryLoadData, void** to, const void* image, int* options, void** values, unsigned count,
                 int* of_library, void** library_values, unsigned library_count) {
  ROPEWALK_SAME(cuLibraryLoadData, to, image, options, values, count, of_library, library_values, library_count);
}
ROPEWALK_RUNTIME(cudaLibraryLoadFromFile, void** to, const char* path, int* options, void** values, unsigned count,
                 int* of_library, void** library_values, unsigned library_count) {
  ROPEWALK_SAME(cuLibraryLoadFromFile, to, path, options, values, count, of_library, library_values, library_count);
}
ROPEWALK_RUNTIME(cudaLibraryUnload, void* library) { ROPEWALK_SAME(cuLibraryUnload, library); }
ROPEWALK_RUNTIME(cudaLibraryGetKernel, void** to, void* library, const char* name) {
  ROPEWALK_SAME(cuLibraryGetKernel, to, library, name);
}
ROPEWALK_RUNTIME(cudaLibraryGetKernelCount, unsigned* count, void* library) {
  ROPEWALK_SAME(cuLibraryGetKernelCount, count, library);
}
ROPEWALK_RUNTIME(cudaLibraryEnumerateKernels, void** to, unsigned count, void* library) {
  ROPEWALK_SAME(cuLibraryEnumerateKernels, to, count, library);
}
ROPEWALK_RUNTIME(cudaLibraryGetGlobal, void** to, size_t* bytes, void* library, const char* name) {
  ROPEWALK_SAME(cuLibraryGetGlobal, reinterpret_cast<u64*>(to), bytes, library, name);
}
ROPEWALK_RUNTIME(cudaLibraryGetManaged, void** to, size_t* bytes, void* library, const char* name) {
  ROPEWALK_SAME(cuLibraryGetManaged, reinterpret_cast<u64*>(to), bytes, library, name);
}
