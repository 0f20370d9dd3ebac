// Calls as they begin and end.
#include "lib/trace/recorder/recorder.h"

#include <algorithm>

namespace ropewalk::trace {

Recorder::Recorder(const RecorderOptions& options)
    : options_(options), launches_(options.keep), contents_(options.save_bytes) {}

namespace {

// `sizes` has the grid, the block, the shared bytes and the stream.
template <class Sizes>
LaunchShape shape_of(const char* kind, Handle function, const Sizes& sizes, void** parameters, void** extra) {
  LaunchShape shape{kind, function, sizes.stream, {}, {}, sizes.shared_bytes, parameters, extra};
  std::copy_n(sizes.grid, 3, shape.grid);
  std::copy_n(sizes.block, 3, shape.block);
  return shape;
}

}  // namespace

void Recorder::begins(const LaunchCall& launch, const Call& call) {
  begins_launch(shape_of("kernel", launch.function, launch, launch.parameters, launch.extra), call);
}

void Recorder::begins(const CooperativeCall& launch, const Call& call) {
  begins_launch(shape_of("cooperative", launch.function, launch, launch.parameters, nullptr), call);
}

void Recorder::begins(const ConfiguredLaunchCall& launch, const Call& call) {
  begins_launch(shape_of("kernel", launch.function, *launch.config, launch.parameters, launch.extra), call);
}

void Recorder::begins(const GraphCall& launch, const Call& call) {
  LaunchShape shape;
  shape.kind = "graph";
  shape.stream = launch.stream;
  begins_launch(shape, call);
}

void Recorder::begins_launch(const LaunchShape& shape, const Call& call) {
  if (options_.serialize) one_launch_.lock();
  const Function* function = shape.function ? &functions_.of(shape.function, call.symbol) : nullptr;
  LaunchSlot& slot = launches_.begin(shape, function, stream_of(shape.stream, call), ++order_);
  *call.kept = slot.number.load(std::memory_order_relaxed);
  // During a capture nothing may be waited for, on no stream: it would end the capture.
  const bool has_captures = captures_.load(std::memory_order_relaxed) > 0;
  if (has_captures) slot.captured = is_capturing(shape.stream);
  if (is_saved(*call.kept) && !has_captures) {
    const std::lock_guard lock(mutex_);
    if (contents_.save(*call.kept, slot.arguments, slot.bytes, allocations_, driver_)) {
      streams_.context_done(call.context, slot.order);
    }
  }
}

void Recorder::ends_launch(Handle handle, const Call& call) {
  std::unique_lock<std::mutex> one_launch;
  if (options_.serialize) one_launch = {one_launch_, std::adopt_lock};
  LaunchSlot* slot = launches_.find(*call.kept);
  if (!slot) return;  // so many launches were made during this one that it is no longer kept
  slot->result.store(call.result, std::memory_order_relaxed);
  const u64 returned = ++order_;
  slot->returned.store(returned, std::memory_order_relaxed);
  if (!call.worked() || slot->captured) return;
  Stream& stream = *slot->stream;
  if (options_.is_blocking) raise(stream.done, returned);
  const bool is_asked = options_.at && is_saved(*call.kept);
  if ((!options_.serialize && !is_asked) || captures_.load(std::memory_order_relaxed) > 0) return;
  const bool is_own = call.kind.per_thread && !handle;
  const gpu::Result result = driver_.stream_synchronize(is_own ? reinterpret_cast<Handle>(2) : handle);
  if (result == gpu::success) raise(stream.done, returned);
  const std::lock_guard lock(mutex_);
  if (result == gpu::success ? is_asked : !reported_fault_) report(result, call, *call.kept, true);
}

bool Recorder::is_capturing(Handle stream) const {
  int status = 0;
  // The default stream cannot be asked while another is captured, and takes no launches then.
  return driver_.stream_is_capturing && (driver_.stream_is_capturing(stream, &status) != gpu::success || status != 0);
}

void Recorder::ends(const AllocateCall& allocate, const Call& call) {
  if (call.worked())
    allocations_.made({*allocate.address, allocate.bytes, call.kind.memory, call.name, "", *call.kept});
}

void Recorder::ends(const PitchCall& allocate, const Call& call) {
  if (!call.worked()) return;
  allocations_.made(
      {*allocate.address, *allocate.pitch * allocate.height, call.kind.memory, call.name, "", *call.kept});
}

void Recorder::ends(const RegisterCall& mapped, const Call& call) {
  if (call.worked()) allocations_.made({mapped.address, mapped.bytes, call.kind.memory, call.name, "", *call.kept});
}

void Recorder::ends(const VariableCall& variable, const Call& call) {
  if (!call.worked() || !variable.address || !variable.bytes) return;
  allocations_.made({*variable.address, *variable.bytes, call.kind.memory, call.name, "", *call.kept});
}

void Recorder::ends(const ReleaseCall& release, const Call& call) {
  if (call.worked()) allocations_.freed(release.address, call.name, *call.kept);
}

void Recorder::ends(const UnmapCall& unmap, const Call& call) {
  if (call.worked()) allocations_.unmapped(unmap.address, unmap.bytes, call.name, *call.kept);
}

void Recorder::ends(const LoadCall& load, const Call& call) {
  if (call.worked()) images_.loaded(*load.module, load.image);
}

void Recorder::ends(const LoadFileCall& load, const Call& call) {
  if (call.worked()) images_.loaded_from(*load.module, load.path);
}

void Recorder::ends(const UnloadCall& unload, const Call& call) {
  if (!call.worked()) return;
  images_.unloaded(unload.module);
  functions_.forget();
}

void Recorder::ends(const CreateStreamCall& create, const Call& call) {
  if (call.worked()) streams_.created(call.context, *create.stream, create.flags);
}

void Recorder::ends(const DestroyStreamCall& destroy, const Call& call) {
  if (call.worked()) streams_.destroyed(destroy.stream);
}

// A synchronisation that worked, or a query that found nothing left to do.
void Recorder::ends(const StreamCall& stream, const Call& call) {
  if (call.worked()) raise(stream_of(stream.stream, call).done, *call.kept);
}

void Recorder::ends(const CaptureCall&, const Call& call) {
  if (call.worked()) ++captures_;
}

void Recorder::ends(const EndCaptureCall&, const Call&) {
  if (captures_.load() > 0) --captures_;
}

void Recorder::ends(const ContextCall&, const Call& call) {
  if (call.worked()) streams_.context_done(call.context, *call.kept);
}

// Of another context than the current one no number is known: what it completed is left open.
void Recorder::ends(const NamedContextCall& named, const Call& call) {
  if (!named.context || named.context == call.current) ends(ContextCall{}, call);
}

void Recorder::ends(const RecordEventCall& record, const Call& call) {
  if (call.worked()) streams_.event_recorded(record.event, stream_of(record.stream, call), *call.kept);
}

void Recorder::ends(const WaitEventCall& wait, const Call& call) {
  if (call.worked()) streams_.waits(stream_of(wait.stream, call), wait.event, *call.kept);
}

void Recorder::ends(const EventCall& event, const Call& call) {
  if (call.worked()) streams_.event_done(event.event, *call.kept);
}

void Recorder::operation(const Call& call, Address to, Address from, u64 bytes, Handle stream) {
  operations_.add({call.name, to, from, bytes, *call.kept, &stream_of(stream, call), call.result});
}

void Recorder::ends(const CopyCall& copy, const Call& call) {
  operation(call, copy.to, copy.from, copy.bytes, nullptr);
}

void Recorder::ends(const CopyBackCall& copy, const Call& call) {
  operation(call, copy.to, copy.from, copy.bytes, nullptr);
  if (call.worked()) raise(stream_of(nullptr, call).done_operation, *call.kept);
}

void Recorder::ends(const CopyOnStreamCall& copy, const Call& call) {
  operation(call, copy.to, copy.from, copy.bytes, copy.stream);
}

void Recorder::ends(const SetCall& set, const Call& call) {
  operation(call, set.to, 0, set.count * call.kind.unit, nullptr);
}

void Recorder::ends(const SetOnStreamCall& set, const Call& call) {
  operation(call, set.to, 0, set.count * call.kind.unit, set.stream);
}

}  // namespace ropewalk::trace
