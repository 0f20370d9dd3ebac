// Edges of graphs. Version 12 has each function without data of edges, and as _v2 with it; version 13 with it alone.
#pragma once
#include "lib/driver/runtime/call.h"

extern "C" {
int cuGraphGetEdges_v2(void*, void**, void**, void*, std::size_t*) __attribute__((weak));
int cuGraphNodeGetDependencies_v2(void*, void**, void*, std::size_t*) __attribute__((weak));
int cuGraphNodeGetDependentNodes_v2(void*, void**, void*, std::size_t*) __attribute__((weak));
int cuGraphAddDependencies_v2(void*, void* const*, void* const*, const void*, std::size_t) __attribute__((weak));
int cuGraphRemoveDependencies_v2(void*, void* const*, void* const*, const void*, std::size_t) __attribute__((weak));
int cuStreamUpdateCaptureDependencies_v2(void*, void* const*, const void*, std::size_t, unsigned) __attribute__((weak));
}

#define ROPEWALK_EDGE_FUNCTIONS(suffix)                                                                                \
  ROPEWALK_RUNTIME(cudaStreamUpdateCaptureDependencies##suffix, void* stream, void* const* after, const void* data,    \
                   std::size_t count, unsigned flags) {                                                                \
    return run("cudaStreamUpdateCaptureDependencies", [&] {                                                            \
      return ROPEWALK_DRIVER(cuStreamUpdateCaptureDependencies_v2, stream, after, data, count, flags);                 \
    });                                                                                                                \
  }                                                                                                                    \
  ROPEWALK_PER_THREAD(cudaStreamUpdateCaptureDependencies##suffix, _ptsz);                                             \
  ROPEWALK_RUNTIME(cudaGraphGetEdges##suffix, void* graph, void** from, void** to, void* data, std::size_t* count) {   \
    return run("cudaGraphGetEdges",                                                                                    \
               [&] { return ROPEWALK_DRIVER(cuGraphGetEdges_v2, graph, from, to, data, count); });                     \
  }                                                                                                                    \
  ROPEWALK_RUNTIME(cudaGraphNodeGetDependencies##suffix, void* node, void** nodes, void* data, std::size_t* count) {   \
    return run("cudaGraphNodeGetDependencies",                                                                         \
               [&] { return ROPEWALK_DRIVER(cuGraphNodeGetDependencies_v2, node, nodes, data, count); });              \
  }                                                                                                                    \
  ROPEWALK_RUNTIME(cudaGraphNodeGetDependentNodes##suffix, void* node, void** nodes, void* data, std::size_t* count) { \
    return run("cudaGraphNodeGetDependentNodes",                                                                       \
               [&] { return ROPEWALK_DRIVER(cuGraphNodeGetDependentNodes_v2, node, nodes, data, count); });            \
  }                                                                                                                    \
  ROPEWALK_RUNTIME(cudaGraphAddDependencies##suffix, void* graph, void* const* from, void* const* to,                  \
                   const void* data, std::size_t count) {                                                              \
    return run("cudaGraphAddDependencies",                                                                             \
               [&] { return ROPEWALK_DRIVER(cuGraphAddDependencies_v2, graph, from, to, data, count); });              \
  }                                                                                                                    \
  ROPEWALK_RUNTIME(cudaGraphRemoveDependencies##suffix, void* graph, void* const* from, void* const* to,               \
                   const void* data, std::size_t count) {                                                              \
    return run("cudaGraphRemoveDependencies",                                                                          \
               [&] { return ROPEWALK_DRIVER(cuGraphRemoveDependencies_v2, graph, from, to, data, count); });           \
  }
