#include "lib/init/simulator.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/init/scope.h"

namespace ropewalk::init {

Simulator::Simulator(const Plan& plan, const Kernels& kernels)
    : plan_(plan), kernels_(kernels), workshop_(plan, kernels) {}

UnitState Simulator::initial(size_t ranks) const {
  UnitState unit;
  unit.ranks.resize(ranks);
  for (RankState& rank : unit.ranks) {
    for (const BufferPlan& buffer : plan_.buffers) {
      BufferState state;
      state.persistent = buffer.persistent;
      state.dtype = buffer.dtype;
      rank.buffers.push_back(state);
    }
  }
  unit.registered_by.assign(plan_.buffers.size(), -1);
  return unit;
}

void Simulator::fail(RankState& rank, Failure failure, bool stops) {
  rank.stopped |= stops;
  if (rank.failure >= 0) return;
  const auto known = std::find(failures_.begin(), failures_.end(), failure);
  rank.failure = i32(known - failures_.begin());
  if (known == failures_.end()) failures_.push_back(std::move(failure));
}

void Simulator::apply(UnitState& unit, u32 rank, u32 number) {
  const Event& event = plan_.events[number];
  const Scope scope{unit, rank, i16(number), event};
  if (scope.rank().stopped) return;
  switch (event.kind) {
    case EventKind::DefineClass:
      if (scope.rank().zero_init >= 0) scope.rank().late_class = i16(number);
      break;
    case EventKind::EnterZeroInit:
      if (scope.rank().zero_init < 0) {
        scope.rank().zero_init = i16(number);
        scope.rank().late_class = -1;
      }
      break;
    case EventKind::ExitZeroInit:
      leave_zero_init(scope);
      break;
    case EventKind::Construct:
      scope.rank().module = event.on;
      break;
    case EventKind::RegisterBuffer:
      for (const u32 n : event.buffers) {
        BufferState& buffer = scope.buffer(n);
        if (event.persistent) buffer.persistent = *event.persistent;
        if (buffer.residence != Residence::Absent) continue;
        buffer.residence = scope.rank().module;
        buffer.label = buffer.residence == Residence::Meta ? Label::Meta : Label::Garbage;
        buffer.rows = plan_.buffers[n].rows;
        buffer.made_by = i16(number);
      }
      break;
    case EventKind::BuildCache:
      for (const u32 n : in_order_of_need(plan_, event)) {
        build(scope, n, plan_.buffers[n].rows, event.scaled, event.branch);
        if (scope.rank().stopped) break;
      }
      break;
    case EventKind::Grow:
      for (const u32 n : event.buffers) {
        const bool table = plan_.buffers[n].form == BufferForm::Table && scope.buffer(n).residence != Residence::Absent;
        if (table) build(scope, n, event.rows, true, ValueBranch::None);
      }
      break;
    case EventKind::Shard:
      if (event.dtype) cast(scope);
      scope.rank().is_traced |= event.by == "zero3";
      break;
    case EventKind::Cast:
      cast(scope);
      break;
    case EventKind::ToEmpty:
      to_empty(scope);
      break;
    case EventKind::To:
      move(scope);
      break;
    case EventKind::Reset:
      reset(scope);
      break;
    case EventKind::LoadCheckpoint:
      load(scope);
      break;
    case EventKind::PipelineSplit:
      for (const u32 n : event.buffers) copy_to_new_memory(scope, n);
      break;
    case EventKind::Capture:
      for (const u32 n : event.buffers) {
        BufferState& buffer = scope.buffer(n);
        if (buffer.residence != Residence::Device) continue;
        buffer.captured = true;
        buffer.captured_content = buffer.content;
        buffer.captured_rows = buffer.rows;
        buffer.captured_dtype = buffer.dtype;
        buffer.captured_by = i16(number);
        buffer.freed_by = -1;
      }
      break;
    case EventKind::Wait:
      for (BufferState& buffer : scope.rank().buffers) wait_for(buffer.past, event.stream, event.for_stream);
      break;
    case EventKind::Forward:
      forward(scope);
      follow_trace(scope);
      break;
    case EventKind::Broadcast:
      throw InternalError("a broadcast acts on all ranks");
  }
}

bool Simulator::races(RankState& rank, i16 event, u32 n, u32 accesses, bool host_waits) {
  if (plan_.streams.size() == 1) return false;
  BufferState& buffer = rank.buffers[n];
  const u32 stream = plan_.events[size_t(event)].stream;
  const BufferAccesses& these = workshop_.accesses(accesses);
  bool raced = false;
  for (const PastAccess& past : buffer.past) {
    if (past.behind >> stream & 1) continue;
    const std::optional<Conflict> meeting = conflict_of(workshop_.accesses(past.accesses), these);
    if (!meeting) continue;
    Failure failure{"missing-stream-wait", event, past.event, i16(n)};
    failure.text = fmt::format("races with {}: both touch {}, on streams {} and {}, and neither waits for the other",
                               plan_.events[size_t(past.event)].name, plan_.buffers[n].name, plan_.streams[past.stream],
                               plan_.streams[stream]);
    failure.meeting = fmt::format("a race of two launches: {} on stream {}, {} on stream {}", meeting->first,
                                  plan_.streams[past.stream], meeting->second, plan_.streams[stream]);
    fail(rank, std::move(failure), false);
    raced = true;
    break;
  }
  add_access(buffer.past, {accesses, event, u8(stream), host_waits ? every_stream : u32(1) << stream});
  return raced;
}

void Simulator::copy_to_new_memory(const Scope& scope, u32 n, bool host_waits) {
  BufferState& buffer = scope.buffer(n);
  const bool has_memory = buffer.residence == Residence::Device;
  if (has_memory) races(scope.rank(), scope.event_number, n, Workshop::copy_out);
  reallocate(buffer, scope.event_number);
  if (has_memory) races(scope.rank(), scope.event_number, n, Workshop::copy_in, host_waits);
}

}  // namespace ropewalk::init
