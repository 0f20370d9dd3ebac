// Streams, events, and what is allocated on streams: each is the driver's own.
#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/state.h"

using namespace ropewalk::driver::runtime;
using ropewalk::u64;
using std::size_t;

// A function of the runtime that is one of the driver.
#define ROPEWALK_SAME(function, ...) \
  return run(__func__, [&] { return ROPEWALK_DRIVER(function __VA_OPT__(, ) __VA_ARGS__); })

ROPEWALK_RUNTIME(cudaStreamCreateWithPriority, void** stream, unsigned flags, int priority) {
  ROPEWALK_SAME(cuStreamCreateWithPriority, stream, flags, priority);
}
ROPEWALK_RUNTIME(cudaStreamCreateWithFlags, void** stream, unsigned flags) {
  ROPEWALK_SAME(cuStreamCreateWithPriority, stream, flags, 0);
}
ROPEWALK_RUNTIME(cudaStreamCreate, void** stream) { ROPEWALK_SAME(cuStreamCreateWithPriority, stream, 0u, 0); }
ROPEWALK_RUNTIME(cudaStreamDestroy, void* stream) { ROPEWALK_SAME(cuStreamDestroy_v2, stream); }
ROPEWALK_RUNTIME(cudaStreamSynchronize, void* stream) {
  return run_and_wait(__func__, [&] { return ROPEWALK_DRIVER(cuStreamSynchronize, stream); });
}
ROPEWALK_RUNTIME(cudaStreamQuery, void* stream) { ROPEWALK_SAME(cuStreamQuery, stream); }
ROPEWALK_RUNTIME(cudaStreamGetPriority, void* stream, int* priority) {
  ROPEWALK_SAME(cuStreamGetPriority, stream, priority);
}
ROPEWALK_RUNTIME(cudaStreamGetFlags, void* stream, unsigned* flags) { ROPEWALK_SAME(cuStreamGetFlags, stream, flags); }
ROPEWALK_RUNTIME(cudaStreamGetId, void* stream, u64* id) { ROPEWALK_SAME(cuStreamGetId, stream, id); }
ROPEWALK_RUNTIME(cudaStreamGetDevice, void* stream, int* device) { ROPEWALK_SAME(cuStreamGetDevice, stream, device); }
ROPEWALK_RUNTIME(cudaStreamWaitEvent, void* stream, void* event, unsigned flags) {
  ROPEWALK_SAME(cuStreamWaitEvent, stream, event, flags);
}
ROPEWALK_RUNTIME(cudaStreamAddCallback, void* stream, void (*callback)(void*, int, void*), void* data, unsigned flags) {
  ROPEWALK_SAME(cuStreamAddCallback, stream, callback, data, flags);
}
ROPEWALK_RUNTIME(cudaStreamSetAttribute, void* stream, int attribute, const void* value) {
  ROPEWALK_SAME(cuStreamSetAttribute, stream, attribute, value);
}
ROPEWALK_RUNTIME(cudaStreamGetAttribute, void* stream, int attribute, void* value) {
  ROPEWALK_SAME(cuStreamGetAttribute, stream, attribute, value);
}
ROPEWALK_RUNTIME(cudaStreamCopyAttributes, void* to, void* from) { ROPEWALK_SAME(cuStreamCopyAttributes, to, from); }
ROPEWALK_PER_THREAD(cudaStreamSetAttribute, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamGetAttribute, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamCopyAttributes, _ptsz);
ROPEWALK_RUNTIME(cudaStreamAttachMemAsync, void* stream, void* at, size_t bytes, unsigned flags) {
  ROPEWALK_SAME(cuStreamAttachMemAsync, stream, address_of(at), bytes, flags);
}
ROPEWALK_RUNTIME(cudaStreamBeginCapture, void* stream, int mode) {
  ROPEWALK_SAME(cuStreamBeginCapture_v2, stream, mode);
}
ROPEWALK_RUNTIME(cudaStreamEndCapture, void* stream, void** graph) { ROPEWALK_SAME(cuStreamEndCapture, stream, graph); }
ROPEWALK_RUNTIME(cudaStreamIsCapturing, void* stream, int* status) {
  ROPEWALK_SAME(cuStreamIsCapturing, stream, status);
}
ROPEWALK_RUNTIME(cudaThreadExchangeStreamCaptureMode, int* mode) {
  ROPEWALK_SAME(cuThreadExchangeStreamCaptureMode, mode);
}
ROPEWALK_PER_THREAD(cudaStreamSynchronize, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamQuery, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamGetPriority, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamGetFlags, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamGetId, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamGetDevice, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamWaitEvent, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamAddCallback, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamBeginCapture, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamEndCapture, _ptsz);
ROPEWALK_PER_THREAD(cudaStreamIsCapturing, _ptsz);

ROPEWALK_RUNTIME(cudaEventCreateWithFlags, void** event, unsigned flags) { ROPEWALK_SAME(cuEventCreate, event, flags); }
ROPEWALK_RUNTIME(cudaEventCreate, void** event) { ROPEWALK_SAME(cuEventCreate, event, 0u); }
ROPEWALK_RUNTIME(cudaEventDestroy, void* event) { ROPEWALK_SAME(cuEventDestroy_v2, event); }
ROPEWALK_RUNTIME(cudaEventRecord, void* event, void* stream) { ROPEWALK_SAME(cuEventRecord, event, stream); }
ROPEWALK_RUNTIME(cudaEventRecordWithFlags, void* event, void* stream, unsigned flags) {
  ROPEWALK_SAME(cuEventRecordWithFlags, event, stream, flags);
}
ROPEWALK_RUNTIME(cudaEventQuery, void* event) { ROPEWALK_SAME(cuEventQuery, event); }
ROPEWALK_RUNTIME(cudaEventSynchronize, void* event) {
  return run_and_wait(__func__, [&] { return ROPEWALK_DRIVER(cuEventSynchronize, event); });
}
ROPEWALK_RUNTIME(cudaEventElapsedTime, float* milliseconds, void* from, void* to) {
  ROPEWALK_SAME(cuEventElapsedTime_v2, milliseconds, from, to);
}
ROPEWALK_PER_THREAD(cudaEventElapsedTime, _v2);
ROPEWALK_PER_THREAD(cudaEventRecord, _ptsz);
ROPEWALK_PER_THREAD(cudaEventRecordWithFlags, _ptsz);

ROPEWALK_RUNTIME(cudaMallocAsync, void** to, size_t bytes, void* stream) {
  ROPEWALK_SAME(cuMemAllocAsync, reinterpret_cast<u64*>(to), bytes, stream);
}
ROPEWALK_RUNTIME(cudaMallocFromPoolAsync, void** to, size_t bytes, void* pool, void* stream) {
  ROPEWALK_SAME(cuMemAllocFromPoolAsync, reinterpret_cast<u64*>(to), bytes, pool, stream);
}
ROPEWALK_RUNTIME(cudaFreeAsync, void* at, void* stream) {
  return run(__func__, [&] { return at ? ROPEWALK_DRIVER(cuMemFreeAsync, address_of(at), stream) : int(success); });
}
ROPEWALK_PER_THREAD(cudaMallocAsync, _ptsz);
ROPEWALK_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
ROPEWALK_PER_THREAD(cudaFreeAsync, _ptsz);
ROPEWALK_RUNTIME(cudaDeviceGetDefaultMemPool, void** pool, int device) {
  ROPEWALK_SAME(cuDeviceGetDefaultMemPool, pool, device);
}
ROPEWALK_RUNTIME(cudaDeviceGetMemPool, void** pool, int device) { ROPEWALK_SAME(cuDeviceGetMemPool, pool, device); }
ROPEWALK_RUNTIME(cudaDeviceSetMemPool, int device, void* pool) { ROPEWALK_SAME(cuDeviceSetMemPool, device, pool); }
ROPEWALK_RUNTIME(cudaMemPoolCreate, void** pool, const void* wishes) { ROPEWALK_SAME(cuMemPoolCreate, pool, wishes); }
ROPEWALK_RUNTIME(cudaMemPoolDestroy, void* pool) { ROPEWALK_SAME(cuMemPoolDestroy, pool); }
ROPEWALK_RUNTIME(cudaMemPoolTrimTo, void* pool, size_t bytes) { ROPEWALK_SAME(cuMemPoolTrimTo, pool, bytes); }
ROPEWALK_RUNTIME(cudaMemPoolSetAttribute, void* pool, int attribute, void* value) {
  ROPEWALK_SAME(cuMemPoolSetAttribute, pool, attribute, value);
}
ROPEWALK_RUNTIME(cudaMemPoolGetAttribute, void* pool, int attribute, void* value) {
  ROPEWALK_SAME(cuMemPoolGetAttribute, pool, attribute, value);
}
ROPEWALK_RUNTIME(cudaMemPoolSetAccess, void* pool, const void* list, size_t count) {
  ROPEWALK_SAME(cuMemPoolSetAccess, pool, list, count);
}
ROPEWALK_RUNTIME(cudaMemPoolGetAccess, int* flags, void* pool, void* location) {
  ROPEWALK_SAME(cuMemPoolGetAccess, flags, pool, location);
}
ROPEWALK_RUNTIME(cudaMemGetDefaultMemPool, void** pool, void* location, int type) {
  ROPEWALK_SAME(cuMemGetDefaultMemPool, pool, location, type);
}
ROPEWALK_RUNTIME(cudaMemGetMemPool, void** pool, void* location, int type) {
  ROPEWALK_SAME(cuMemGetMemPool, pool, location, type);
}
ROPEWALK_RUNTIME(cudaMemSetMemPool, void* location, int type, void* pool) {
  ROPEWALK_SAME(cuMemSetMemPool, location, type, pool);
}
