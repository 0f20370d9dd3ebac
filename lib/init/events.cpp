// Events that make, move and lose the values of buffers.
#include <algorithm>

#include "lib/init/scope.h"

namespace ropewalk::init {
namespace {

// A dtype that loses something of what the plan wants.
bool loses(Dtype dtype, Dtype wanted) { return dtype != wanted && dtype != Dtype::F32; }

// Whoever holds a pointer to memory that is written in place sees the new values.
void write_in_place(BufferState& buffer, u32 content) {
  buffer.content = content;
  if (buffer.captured && buffer.freed_by < 0) buffer.captured_content = content;
}

void mark_written(BufferState& buffer, i16 event) {
  buffer.made_by = event;
  buffer.emptied_by = buffer.skipped_by = -1;
}

}  // namespace

void Simulator::build(const Scope& scope, u32 n, i64 rows, bool scaled, ValueBranch branch) {
  i16& registered = scope.unit.registered_by[n];
  const bool in_registry = plan_.buffers[n].shared && !plan_.buffers[n].device_in_key;
  if (in_registry && registered >= 0 && u32(registered) != scope.number) {
    BufferState& buffer = scope.buffer(n);
    buffer = scope.unit.ranks[size_t(registered)].buffers[n];
    buffer.home = registered;
    return;
  }
  if (in_registry && registered >= 0 && scope.event.kind == EventKind::BuildCache) return;
  build_own(scope, n, rows, scaled, branch);
  if (in_registry) registered = i16(scope.number);
}

void Simulator::build_own(const Scope& scope, u32 n, i64 rows, bool scaled, ValueBranch branch) {
  const BufferPlan& wanted = plan_.buffers[n];
  RankState& rank = scope.rank();
  BufferState& buffer = scope.buffer(n);
  reallocate(buffer, scope.event_number);
  mark_written(buffer, scope.event_number);
  buffer.rounded_by = -1;
  buffer.computed_on_meta = false;
  buffer.residence = rank.module;
  buffer.rows = rows;
  buffer.dtype = wanted.dtype;
  buffer.content = 0;
  buffer.rounded = RoundedBy::Nothing;
  buffer.unscaled = !scaled && plan_.formula.type != RopeType::Default;
  const BufferState* const from = wanted.from >= 0 ? &scope.buffer(u32(wanted.from)) : nullptr;
  if (buffer.residence == Residence::Meta || (from && from->residence == Residence::Meta)) {
    buffer.residence = Residence::Meta;
    buffer.label = Label::Meta;
    buffer.computed_on_meta = true;
    if (branch == ValueBranch::RaisesOnMeta && buffer.unscaled == false && plan_.formula.type != RopeType::Default) {
      fail(rank,
           {"built-on-meta", scope.event_number, -1, i16(n), Label::Meta,
            "raises: the builder branches on the values of frequencies that are on meta (Tensor.item() cannot be "
            "called on meta tensors)"},
           true);
    }
    return;
  }
  Recipe recipe;
  recipe.scaled = scaled;
  if (rank.zero_init >= 0) {
    const Event& context = plan_.events[size_t(rank.zero_init)];
    // arange is among the wrapped constructors since 0.9.4.
    if (!scope.event.from_integers && context.deepspeed >= DeepSpeedVersion{0, 9, 4} &&
        loses(*context.dtype, wanted.dtype)) {
      recipe.constructor = context.dtype;
      recipe.rounds_positions = true;
      buffer.rounded = RoundedBy::ZeroInit;
      buffer.rounded_by = scope.event_number;
    }
  }
  if (from) {
    recipe = {};
    recipe.scaled = !from->unscaled;
    recipe.given = true;
    recipe.frequencies = from->content;
    buffer.unscaled = from->unscaled;
    buffer.rounded = from->rounded == RoundedBy::Cast ? RoundedBy::Frequencies : from->rounded;
    buffer.rounded_by = from->rounded_by;
    buffer.emptied_by = from->emptied_by;
    buffer.skipped_by = from->skipped_by;
  }
  const bool table = wanted.form == BufferForm::Table;
  buffer.content =
      table ? workshop_.build_table(recipe, rows, wanted.dtype) : workshop_.build_frequencies(recipe, wanted.dtype);
  const bool plain = buffer.unscaled || plan_.formula.type == RopeType::Default;
  if (from) races(rank, scope.event_number, u32(wanted.from), workshop_.frequencies_read_by(buffer.content));
  races(rank, scope.event_number, n, workshop_.written_by(buffer.content));
  buffer.label = buffer.content == 0                    ? Label::Garbage
                 : buffer.rounded != RoundedBy::Nothing ? Label::Rounded
                 : plain                                ? Label::Plain
                                                        : Label::Scaled;
}

void Simulator::reset(const Scope& scope) {
  for (const u32 n : in_order_of_need(plan_, scope.event)) {
    BufferState& buffer = scope.buffer(n);
    const bool fresh = buffer.residence == Residence::Absent || buffer.residence == Residence::Meta;
    const bool longer = scope.event.when == ResetWhen::IfMetaOrLengthChanged && buffer.rows != plan_.buffers[n].rows;
    if (scope.event.when == ResetWhen::Always || fresh || longer) {
      build(scope, n, plan_.buffers[n].rows, scope.event.scaled, scope.event.branch);
      if (scope.rank().stopped) return;
    } else if (buffer.label == Label::Garbage) {
      buffer.skipped_by = scope.event_number;
    }
  }
}

void Simulator::to_empty(const Scope& scope) {
  scope.rank().module = Residence::Device;
  for (const u32 n : scope.event.buffers) {
    BufferState& buffer = scope.buffer(n);
    if (buffer.residence == Residence::Absent) continue;
    reallocate(buffer, scope.event_number);
    mark_written(buffer, scope.event_number);
    buffer.residence = Residence::Device;
    if (buffer.label != Label::Garbage) buffer.had_values = buffer.label != Label::Meta;
    buffer.label = Label::Garbage;
    buffer.content = 0;
    buffer.emptied_by = scope.event_number;
  }
}

void Simulator::move(const Scope& scope) {
  scope.rank().module = scope.event.on;
  for (const u32 n : scope.event.buffers) {
    BufferState& buffer = scope.buffer(n);
    if (buffer.residence == Residence::Absent || buffer.residence == scope.event.on) continue;
    if (buffer.residence == Residence::Meta) {
      fail(scope.rank(),
           {"built-on-meta", scope.event_number, buffer.made_by, i16(n), Label::Meta,
            "raises: cannot copy out of a meta tensor, it has no data"},
           true);
      return;
    }
    copy_to_new_memory(scope, n, true);
    buffer.residence = scope.event.on;
  }
}

void Simulator::cast(const Scope& scope) {
  const Dtype dtype = *scope.event.dtype;
  for (const u32 n : scope.event.buffers) {
    BufferState& buffer = scope.buffer(n);
    if (buffer.residence == Residence::Absent || buffer.dtype == dtype) continue;
    copy_to_new_memory(scope, n);
    buffer.dtype = dtype;
    if (buffer.content == 0) continue;
    buffer.content = workshop_.cast(buffer.content, dtype);
    if (!loses(dtype, plan_.buffers[n].dtype)) continue;
    buffer.label = Label::Rounded;
    if (buffer.rounded == RoundedBy::Nothing) {
      buffer.rounded = RoundedBy::Cast;
      buffer.rounded_by = scope.event_number;
    }
  }
}

void Simulator::load(const Scope& scope) {
  for (const u32 n : scope.event.buffers) {
    BufferState& buffer = scope.buffer(n);
    const bool expected = buffer.persistent && buffer.residence != Residence::Absent;
    if (expected != scope.event.has_buffer) {
      if (!scope.event.strict) continue;
      fail(scope.rank(),
           {"", scope.event_number, -1, i16(n), buffer.label,
            expected ? "raises: the checkpoint lacks the persistent buffer"
                     : "raises: the checkpoint has the buffer, and the module does not expect it"},
           true);
      return;
    }
    if (!expected) continue;
    const Dtype wanted = plan_.buffers[n].dtype, saved = scope.event.dtype.value_or(wanted);
    if (scope.event.assign) {
      reallocate(buffer, scope.event_number);
      buffer.residence = Residence::Device;
      buffer.dtype = saved;
    }
    if (buffer.residence == Residence::Meta) continue;  // copying into a meta tensor does nothing
    const bool table = plan_.buffers[n].form == BufferForm::Table;
    races(scope.rank(), scope.event_number, n, Workshop::copy_in, true);
    Recipe recipe;
    recipe.scaled = scope.event.scaled;
    const u32 content =
        table ? workshop_.build_table(recipe, buffer.rows, saved) : workshop_.build_frequencies(recipe, saved);
    write_in_place(buffer, saved == buffer.dtype ? content : workshop_.cast(content, buffer.dtype));
    mark_written(buffer, scope.event_number);
    buffer.label = Label::FromCheckpoint;
    buffer.rounded = loses(buffer.dtype, wanted) || loses(saved, wanted) ? RoundedBy::Cast : RoundedBy::Nothing;
    if (loses(saved, wanted) || buffer.rounded_by < 0) buffer.rounded_by = scope.event_number;
    buffer.unscaled = !scope.event.scaled && plan_.formula.type != RopeType::Default;
  }
}

void Simulator::leave_zero_init(const Scope& scope) {
  RankState& rank = scope.rank();
  if (rank.zero_init < 0) return;
  const DeepSpeedVersion version = plan_.events[size_t(rank.zero_init)].deepspeed;
  const bool looks = version >= DeepSpeedVersion{0, 9, 1} && version < DeepSpeedVersion{0, 10, 0};
  if (looks && rank.late_class >= 0) {
    fail(rank,
         {"class-defined-inside-zero-init", scope.event_number, rank.late_class, -1, Label::Absent,
          "raises: a class was not properly set up for sharding by zero.Init()"},
         true);
  }
  rank.zero_init = -1;
}

u32 Simulator::origin_of(u32 event, u32 rank) const {
  const Event& broadcast = plan_.events[event];
  if (!broadcast.two_level || !broadcast.skips_synced) return 0;
  // The second level is left out: what the first brought stays.
  return broadcast.intra_first ? rank / broadcast.node_size * broadcast.node_size : rank % broadcast.node_size;
}

std::vector<BufferState> Simulator::supply(const RankState& rank, u32 event) const {
  std::vector<BufferState> given;
  for (const u32 n : plan_.events[event].buffers) {
    BufferState buffer = rank.buffers[n];
    if (rank.stopped) buffer.residence = Residence::Absent;
    buffer.past.clear();
    given.push_back(buffer);
  }
  return given;
}

void Simulator::receive(RankState& rank, u32 number, u32 event, const std::vector<BufferState>& given) {
  if (rank.stopped) return;
  const Event& broadcast = plan_.events[event];
  const bool own = origin_of(event, number) == number;
  for (size_t i = 0; i < given.size(); ++i) {
    const u32 n = broadcast.buffers[i];
    BufferState& buffer = rank.buffers[n];
    buffer.synced = true;
    if (own) {
      if (buffer.residence == Residence::Device) races(rank, i16(event), n, Workshop::copy_out, true);
      if (number != 0 && buffer.label == Label::Garbage) buffer.made_by = i16(event);
      continue;
    }
    if (buffer.residence == Residence::Absent || given[i].residence == Residence::Absent) continue;
    if (buffer.residence == Residence::Meta || given[i].residence == Residence::Meta) {
      fail(rank,
           {"built-on-meta", i16(event), buffer.made_by, i16(n), Label::Meta,
            "raises: a buffer without memory takes part in a broadcast"},
           true);
      return;
    }
    if (buffer.residence == Residence::Device) races(rank, i16(event), n, Workshop::copy_in, true);
    write_in_place(buffer,
                   given[i].dtype == buffer.dtype ? given[i].content : workshop_.cast(given[i].content, buffer.dtype));
    mark_written(buffer, i16(event));
    buffer.rows = given[i].rows;
    buffer.label = given[i].label;
    buffer.unscaled = given[i].unscaled;
    buffer.rounded = given[i].rounded;
    buffer.rounded_by = given[i].rounded_by;
    if (buffer.label == Label::Garbage) buffer.skipped_by = given[i].skipped_by;
  }
}

}  // namespace ropewalk::init
