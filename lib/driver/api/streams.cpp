// Streams. Work on them is done when it is given to them, but for what comes after a host function that goes on.
#include <fmt/format.h>

#include <cstring>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

constexpr unsigned stream_flags = 1;  // CU_STREAM_NON_BLOCKING

int known(const Call& call, const Stream* stream) {
  return is_stream(*call, stream) ? success : answer(Result::InvalidHandle);
}

// The program has waited, or knows that there is nothing to wait for.
int wait(const Call& call, Stream* stream) {
  if (const int no = known(call, stream)) return no;
  if (const Result result = check_wait(*call, stream); result != Result::Success) return answer(result);
  wait_for(*call, stream);
  call->synchronize();
  return answer(call.error());
}

}  // namespace

RW_CUDA cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  RW_CALL(call);
  if (!stream || (flags & ~stream_flags)) return invalid_value;
  auto made = std::make_unique<Stream>();
  made->context = call.context();
  made->flags = flags;
  made->priority = std::clamp(priority, -5, 0);
  call->add_stream(made->is_blocking());
  made->line.name = fmt::format("stream {}{}", ++call->streams, made->is_blocking() ? "" : " (non-blocking)");
  *stream = call.context()->streams.add(std::move(made));
  return success;
}
RW_CUDA cuStreamCreate(Stream** stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

RW_CUDA cuStreamDestroy_v2(Stream* stream) {
  RW_CALL(call);
  Context* const owner = call->contexts().owner_of(stream);
  if (!owner) return answer(Result::InvalidHandle);
  wait_for_work(*call, stream);
  call->synchronize();
  leave(*stream);
  owner->streams.remove(stream);
  return success;
}

RW_CUDA cuStreamSynchronize(Stream* stream) {
  RW_CALL(call);
  return wait(call, stream);
}

RW_CUDA cuStreamQuery(Stream* stream) {
  RW_CALL(call);
  if (const int no = known(call, stream)) return no;
  if (!capturing(*call, stream) && !tickets_before(*call, stream_line_of(*call, stream)).empty())
    return answer(Result::NotReady);
  return wait(call, stream);
}

RW_CUDA cuStreamWaitEvent(Stream* stream, Event* event, unsigned flags) {
  RW_CALL(call);
  constexpr unsigned external = 1;  // CU_EVENT_WAIT_EXTERNAL
  if (flags > external) return invalid_value;
  return answer(wait_event(*call, stream, event, flags == external));
}

RW_CUDA cuStreamGetPriority(Stream* stream, int* priority) {
  RW_CALL(call);
  RW_NEEDS(priority);
  if (const int no = known(call, stream)) return no;
  *priority = is_default(stream) ? 0 : stream->priority;
  return success;
}

RW_CUDA cuStreamGetFlags(Stream* stream, unsigned* flags) {
  RW_CALL(call);
  RW_NEEDS(flags);
  if (const int no = known(call, stream)) return no;
  *flags = is_default(stream) ? 0 : stream->flags;
  return success;
}

RW_CUDA cuStreamGetId(Stream* stream, unsigned long long* id) {
  RW_CALL(call);
  RW_NEEDS(id);
  if (const int no = known(call, stream)) return no;
  *id = u64(stream);
  return success;
}

RW_CUDA cuStreamGetCtx(Stream* stream, Context** context) {
  RW_CALL(call);
  RW_NEEDS(context);
  if (const int no = known(call, stream)) return no;
  *context = is_default(stream) ? call.context() : stream->context;
  return success;
}

RW_CUDA cuStreamGetDevice(Stream* stream, int* device) {
  RW_CALL(call);
  RW_NEEDS(device);
  if (const int no = known(call, stream)) return no;
  *device = int(is_default(stream) ? call.device() : stream->context->device);
  return success;
}

RW_CUDA cuStreamCopyAttributes(Stream* to, Stream* from) {
  RW_CALL(call);
  if (const int no = known(call, to)) return no;
  if (const int no = known(call, from)) return no;
  if (!is_default(to)) to->attributes = is_default(from) ? decltype(to->attributes)() : from->attributes;
  return success;
}
RW_CUDA cuStreamSetAttribute(Stream* stream, int attribute, const void* value) {
  RW_CALL(call);
  if (const int no = known(call, stream)) return no;
  if (!value) return invalid_value;
  if (!is_default(stream)) std::memcpy(stream->attributes[attribute].data(), value, sizeof(stream->attributes[0]));
  return success;
}
// What nobody set is zero, but for the way to wait and the priority.
RW_CUDA cuStreamGetAttribute(Stream* stream, int attribute, void* value) {
  RW_CALL(call);
  if (const int no = known(call, stream)) return no;
  if (!value) return invalid_value;
  constexpr int synchronisation = 3, priority = 8;
  std::array<std::byte, 64> out{};
  if (!is_default(stream) && stream->attributes.contains(attribute)) {
    out = stream->attributes.at(attribute);
  } else if (attribute == synchronisation || attribute == priority) {
    const int number = attribute == synchronisation ? 1 : is_default(stream) ? 0 : stream->priority;
    std::memcpy(out.data(), &number, sizeof number);
  }
  std::memcpy(value, out.data(), out.size());
  return success;
}

RW_CUDA cuStreamAttachMemAsync(Stream* stream, DevicePointer address, std::size_t, unsigned flags) {
  RW_CALL(call);
  constexpr unsigned global = 1, host = 2, single = 4;
  const Allocation* const at = call->memory().find(address).allocation;
  const bool is_kind = flags == global || flags == host || flags == single;
  if (!is_kind || !at || at->kind != MemoryKind::Managed) return invalid_value;
  return known(call, stream);
}

RW_CUDA cuStreamAddCallback(Stream* stream, void (*callback)(Stream*, int, void*), void* user, unsigned flags) {
  RW_CALL(call);
  RW_NEEDS(callback);
  if (flags) return invalid_value;
  return answer(submit(*call, stream, NodeKind::Host, host_work([=] { callback(stream, success, user); })));
}

RW_CUDA cuLaunchHostFunc(Stream* stream, void (*function)(void*), void* user) {
  RW_CALL(call);
  RW_NEEDS(function);
  return answer(submit(*call, stream, NodeKind::Host, host_work([=] { function(user); })));
}

}  // namespace ropewalk::driver
