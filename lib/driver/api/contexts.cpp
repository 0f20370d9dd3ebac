// Contexts, and which is current.
#include <cstring>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

RW_CUDA cuCtxGetCurrent(Context** context) {
  Held held;
  if (!context) return invalid_value;
  *context = held->contexts().top();
  return success;
}

RW_CUDA cuCtxSetCurrent(Context* context) {
  Held held;
  if (context && !held->contexts().has(context)) return answer(Result::InvalidContext);
  held->contexts().set_current(context);
  return success;
}

RW_CUDA cuCtxPushCurrent_v2(Context* context) {
  Held held;
  if (!held->contexts().has(context)) return answer(Result::InvalidContext);
  held->contexts().push(context);
  return success;
}

RW_CUDA cuCtxPopCurrent_v2(Context** context) {
  Held held;
  Context* const top = held->contexts().pop();
  if (context) *context = top;
  return top ? success : answer(Result::InvalidContext);
}

RW_CUDA cuCtxCreate_v2(Context** context, unsigned flags, int device) {
  Held held;
  if (!context) return invalid_value;
  if (device < 0 || u32(device) >= held->options().devices) return answer(Result::InvalidDevice);
  *context = held->contexts().create(u32(device), flags);
  held->contexts().push(*context);
  return success;
}
RW_CUDA cuCtxCreate_v3(Context** context, void*, int, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}
RW_CUDA cuCtxCreate_v4(Context** context, void*, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}

RW_CUDA cuCtxDestroy_v2(Context* context) {
  Held held;
  if (!held->contexts().has(context)) return answer(Result::InvalidContext);
  wait_for(*held, *context);
  held->synchronize();
  if (context->is_primary) return answer(Result::InvalidContext);
  held->memory().lose(context);
  held->contexts().destroy(context);
  return success;
}

RW_CUDA cuCtxGetDevice(int* device) {
  RW_CALL(call);
  RW_NEEDS(device);
  *device = int(call.device());
  return success;
}

RW_CUDA cuCtxGetDevice_v2(int* device, Context* context) {
  if (!context) return cuCtxGetDevice(device);
  RW_NEEDS(device);
  Held held;
  if (!held->contexts().has(context)) return answer(Result::InvalidContext);
  *device = int(context->device);
  return success;
}

RW_CUDA cuCtxSynchronize() {
  RW_CALL(call);
  if (const Result result = check_wait(*call.context()); result != Result::Success) return answer(result);
  wait_for(*call, *call.context());
  call->synchronize();
  return answer(call.error());
}
RW_CUDA cuCtxSynchronize_v2(Context*) { return cuCtxSynchronize(); }

RW_CUDA cuCtxGetFlags(unsigned* flags) {
  RW_CALL(call);
  RW_NEEDS(flags);
  *flags = call.context()->flags;
  return success;
}

RW_CUDA cuCtxSetFlags(unsigned flags) {
  RW_CALL(call);
  call.context()->flags = flags;
  return success;
}

RW_CUDA cuCtxGetApiVersion(Context* context, unsigned* version) {
  Held held;
  RW_NEEDS(version);
  if (context && !held->contexts().has(context)) return answer(Result::InvalidContext);
  *version = 3020;
  return success;
}

RW_CUDA cuCtxGetId(Context* context, unsigned long long* id) {
  RW_CALL(call);
  RW_NEEDS(id);
  *id = u64(context ? context : call.context());
  return success;
}

RW_CUDA cuCtxGetCacheConfig(int* config) {
  RW_CALL(call);
  RW_NEEDS(config);
  *config = 0;
  return success;
}
RW_CUDA cuCtxSetCacheConfig(int) {
  RW_CALL(call);
  return success;
}
RW_CUDA cuCtxGetSharedMemConfig(int* config) {
  RW_CALL(call);
  RW_NEEDS(config);
  *config = 1;  // banks of four bytes
  return success;
}
RW_CUDA cuCtxSetSharedMemConfig(int) {
  RW_CALL(call);
  return success;
}

namespace {

// CUlimit: stack, printf's buffer, heap, nested depth, nested launches, fetch granularity, persisting cache.
constexpr unsigned printf_bytes = 1, nested_depth = 3, limit_count = 7;

Result check_limit(Session& session, unsigned limit) {
  if (limit >= limit_count) return Result::InvalidValue;
  // Kernels of newer devices cannot wait for those that they launch.
  return limit == nested_depth && session.device().major >= 9 ? Result::UnsupportedLimit : Result::Success;
}

}  // namespace

RW_CUDA cuCtxGetLimit(std::size_t* value, unsigned limit) {
  RW_CALL(call);
  RW_NEEDS(value);
  if (const Result result = check_limit(*call, limit); result != Result::Success) return answer(result);
  constexpr u64 usual[limit_count] = {1024, 0, 8 << 20, 2, 2048, 128, 0};
  constexpr u64 printf_bytes_each = 64 << 10;  // of each multiprocessor
  const u64 set = call.context()->limits[limit];
  *value = set ? set : limit == printf_bytes ? call->device().multiprocessors * printf_bytes_each : usual[limit];
  return success;
}

RW_CUDA cuCtxSetLimit(unsigned limit, std::size_t value) {
  RW_CALL(call);
  if (const Result result = check_limit(*call, limit); result != Result::Success) return answer(result);
  call.context()->limits[limit] = value;
  return success;
}

RW_CUDA cuCtxResetPersistingL2Cache() {
  RW_CALL(call);
  return success;
}

RW_CUDA cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  RW_CALL(call);
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return success;
}

RW_CUDA cuCtxEnablePeerAccess(Context* peer, unsigned) {
  RW_CALL(call);
  if (!call->contexts().has(peer) || peer == call.context()) return answer(Result::InvalidContext);
  if (!call.context()->peers.insert(peer->device).second) return answer(Result::PeerAccessAlreadyEnabled);
  return success;
}

RW_CUDA cuCtxDisablePeerAccess(Context* peer) {
  RW_CALL(call);
  if (!call->contexts().has(peer)) return answer(Result::InvalidContext);
  return call.context()->peers.erase(peer->device) ? success : answer(Result::PeerAccessNotEnabled);
}

}  // namespace ropewalk::driver
