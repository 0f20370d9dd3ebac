// Nodes of graphs with events, and captures into graphs: each is the driver's own.
#include "lib/driver/runtime/call.h"

using namespace ropewalk::driver::runtime;
using ropewalk::u64;
using std::size_t;

extern "C" {
#define ROPEWALK_WEAK(name, ...) int name(__VA_ARGS__) __attribute__((weak))
ROPEWALK_WEAK(cuGraphAddEventRecordNode, void**, void*, void* const*, size_t, void*);
ROPEWALK_WEAK(cuGraphAddEventWaitNode, void**, void*, void* const*, size_t, void*);
ROPEWALK_WEAK(cuGraphEventRecordNodeGetEvent, void*, void**);
ROPEWALK_WEAK(cuGraphEventWaitNodeGetEvent, void*, void**);
ROPEWALK_WEAK(cuGraphEventRecordNodeSetEvent, void*, void*);
ROPEWALK_WEAK(cuGraphEventWaitNodeSetEvent, void*, void*);
ROPEWALK_WEAK(cuGraphExecEventRecordNodeSetEvent, void*, void*, void*);
ROPEWALK_WEAK(cuGraphExecEventWaitNodeSetEvent, void*, void*, void*);
ROPEWALK_WEAK(cuGraphExecGetFlags, void*, u64*);
ROPEWALK_WEAK(cuGraphNodeFindInClone, void**, void*, void*);
ROPEWALK_WEAK(cuStreamBeginCaptureToGraph, void*, void*, void* const*, const void*, size_t, int);
}

#define ROPEWALK_SAME(function, ...) \
  return run(__func__, [&] { return ROPEWALK_DRIVER(function __VA_OPT__(, ) __VA_ARGS__); })

#define ROPEWALK_EVENT_NODE(kind)                                                                             \
  ROPEWALK_RUNTIME(cudaGraphAddEvent##kind##Node, void** node, void* graph, void* const* after, size_t count, \
                   void* event) {                                                                             \
    ROPEWALK_SAME(cuGraphAddEvent##kind##Node, node, graph, after, count, event);                             \
  }                                                                                                           \
  ROPEWALK_RUNTIME(cudaGraphEvent##kind##NodeGetEvent, void* node, void** event) {                            \
    ROPEWALK_SAME(cuGraphEvent##kind##NodeGetEvent, node, event);                                             \
  }                                                                                                           \
  ROPEWALK_RUNTIME(cudaGraphEvent##kind##NodeSetEvent, void* node, void* event) {                             \
    ROPEWALK_SAME(cuGraphEvent##kind##NodeSetEvent, node, event);                                             \
  }                                                                                                           \
  ROPEWALK_RUNTIME(cudaGraphExecEvent##kind##NodeSetEvent, void* graph, void* node, void* event) {            \
    ROPEWALK_SAME(cuGraphExecEvent##kind##NodeSetEvent, graph, node, event);                                  \
  }
ROPEWALK_EVENT_NODE(Record)
ROPEWALK_EVENT_NODE(Wait)

ROPEWALK_RUNTIME(cudaGraphExecGetFlags, void* graph, u64* flags) { ROPEWALK_SAME(cuGraphExecGetFlags, graph, flags); }
ROPEWALK_RUNTIME(cudaGraphNodeFindInClone, void** node, void* original, void* copy) {
  ROPEWALK_SAME(cuGraphNodeFindInClone, node, original, copy);
}
ROPEWALK_RUNTIME(cudaStreamBeginCaptureToGraph, void* stream, void* graph, void* const* after, const void* data,
                 size_t count, int mode) {
  ROPEWALK_SAME(cuStreamBeginCaptureToGraph, stream, graph, after, data, count, mode);
}
ROPEWALK_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);
