// Events.
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

constexpr unsigned disable_timing = 2, of_processes = 4;  // CU_EVENT_DISABLE_TIMING, CU_EVENT_INTERPROCESS
constexpr unsigned external = 1;                          // CU_EVENT_RECORD_EXTERNAL

}  // namespace

RW_CUDA cuEventCreate(Event** event, unsigned flags) {
  RW_CALL(call);
  if (!event || flags > 7 || ((flags & of_processes) && !(flags & disable_timing))) return invalid_value;
  auto made = std::make_unique<Event>();
  made->context = call.context();
  made->flags = flags;
  *event = call.context()->events.add(std::move(made));
  return success;
}

RW_CUDA cuEventDestroy_v2(Event* event) {
  RW_CALL(call);
  for (Context* context : call->contexts().all()) {
    if (context->events.remove(event)) return success;
  }
  return answer(Result::InvalidHandle);
}
RW_CUDA cuEventDestroy(Event* event) { return cuEventDestroy_v2(event); }

RW_CUDA cuEventRecordWithFlags(Event* event, Stream* stream, unsigned flags) {
  RW_CALL(call);
  if (flags > external) return invalid_value;
  return answer(record_event(*call, stream, event, flags == external));
}
RW_CUDA cuEventRecord(Event* event, Stream* stream) { return cuEventRecordWithFlags(event, stream, 0); }

static int wait(Event* event, bool is_query) {
  RW_CALL(call);
  if (!is_event(*call, event)) return answer(Result::InvalidHandle);
  if (const Result result = check_wait(*event); result != Result::Success) return answer(result);
  if (is_query && !call->backlog().is_done(event->ticket)) return answer(Result::NotReady);
  call->backlog().wait({event->ticket});
  call->synchronize();
  has_waited(*call, event->clock);
  return answer(call.error());
}

RW_CUDA cuEventQuery(Event* event) { return wait(event, true); }
RW_CUDA cuEventSynchronize(Event* event) { return wait(event, false); }

RW_CUDA cuEventElapsedTime_v2(float* milliseconds, Event* start, Event* end) {
  RW_CALL(call);
  if (!milliseconds) return invalid_value;
  if (!is_event(*call, start) || !is_event(*call, end)) return answer(Result::InvalidHandle);
  if (!start->is_recorded || !end->is_recorded || ((start->flags | end->flags) & disable_timing)) {
    return answer(Result::InvalidHandle);
  }
  if (start->context->device != end->context->device) return answer(Result::InvalidHandle);
  if (!call->backlog().is_done(start->ticket) || !call->backlog().is_done(end->ticket)) return answer(Result::NotReady);
  *milliseconds = float((end->seconds - start->seconds) * 1e3);
  return success;
}
RW_CUDA cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

}  // namespace ropewalk::driver
