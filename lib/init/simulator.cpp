#include "lib/init/simulator.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/init/scope.h"

namespace ropewalk::init {

Simulator::Simulator(const Plan& plan) : plan_(plan), workshop_(plan) {}

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
        if (buffer.place != Residence::Absent) continue;
        buffer.place = scope.rank().module;
        buffer.label = buffer.place == Residence::Meta ? Label::Meta : Label::Garbage;
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
        const bool table = plan_.buffers[n].form == BufferForm::Table && scope.buffer(n).place != Residence::Absent;
        if (table) build(scope, n, event.rows, true, ValueBranch::None);
      }
      break;
    case EventKind::Shard:
      if (event.dtype) cast(scope);
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
      for (const u32 n : event.buffers) reallocate(scope.buffer(n), i16(number));
      break;
    case EventKind::Capture:
      for (const u32 n : event.buffers) {
        BufferState& buffer = scope.buffer(n);
        if (buffer.place != Residence::Device) continue;
        buffer.captured = true;
        buffer.captured_content = buffer.content;
        buffer.captured_rows = buffer.rows;
        buffer.captured_dtype = buffer.dtype;
        buffer.captured_by = i16(number);
        buffer.freed_by = -1;
      }
      break;
    case EventKind::Wait:
      for (BufferState& buffer : scope.rank().buffers) {
        if (buffer.visible >> event.for_stream & 1) buffer.visible |= 1u << event.stream;
      }
      break;
    case EventKind::Forward:
      forward(scope);
      break;
    case EventKind::Broadcast:
      throw InternalError("a broadcast acts on all ranks");
  }
}

}  // namespace ropewalk::init
