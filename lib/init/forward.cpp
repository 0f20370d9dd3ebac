// A forward, and why it fails.
#include <fmt/format.h>

#include <algorithm>

#include "lib/init/scope.h"

namespace ropewalk::init {

void Simulator::forward(const Scope& scope) {
  const auto is_table = [&](u32 n) { return plan_.buffers[n].form == BufferForm::Table; };
  const std::vector<u32>& buffers = scope.event.buffers;
  const bool any_table = std::any_of(buffers.begin(), buffers.end(), is_table);
  for (const u32 n : buffers) {
    if (!scope.rank().stopped && (is_table(n) || !any_table)) use(scope, n, !any_table);
  }
}

void Simulator::follow_trace(const Scope& scope) {
  if (!scope.rank().is_traced || scope.rank().stopped || scope.event.never_called.empty()) return;
  fail(scope.rank(),
       {"module-never-called", scope.event_number, -1, -1, Label::Absent,
        fmt::format("does not call {}, which is registered: the next one raises (pop from an empty deque), for ZeRO-3 "
                    "waits for its parameters",
                    fmt::join(scope.event.never_called, ", "))},
       false);
}

void Simulator::use(const Scope& scope, u32 n, bool from_frequencies) {
  const BufferPlan& wanted = plan_.buffers[n];
  const Event& event = scope.event;
  RankState& rank = scope.rank();
  BufferState& buffer = scope.buffer(n);
  const auto raise = [&](const char* cause, const char* text) {
    fail(rank, {cause, scope.event_number, buffer.made_by, i16(n), buffer.label, text}, true);
  };
  if (buffer.residence == Residence::Absent) return raise("", "raises: the buffer does not exist yet");
  if (buffer.residence == Residence::Meta)
    return raise("built-on-meta", "raises: the buffer is on meta and has no values");
  if (buffer.residence == Residence::Cpu)
    return raise("", "raises: the buffer is on the CPU, what it is multiplied with is not");

  BufferState used = buffer;
  if (buffer.captured) {
    used.content = buffer.captured_content;
    used.rows = buffer.captured_rows;
    used.dtype = buffer.captured_dtype;
  }
  std::optional<u32> accesses;  // to the buffer; those of the forward where nothing else reads it before
  if (from_frequencies) {
    Recipe recipe;
    recipe.scaled = !used.unscaled;
    recipe.given = true;
    recipe.frequencies = used.content;
    used.rows = event.first_position + event.positions;
    used.content = workshop_.build_table(recipe, used.rows, Dtype::F32);
    accesses = workshop_.frequencies_read_by(used.content);
    used.dtype = Dtype::F32;
    if (used.rounded == RoundedBy::Cast) used.rounded = RoundedBy::Frequencies;
  }
  if (event.dtype && *event.dtype != used.dtype) {
    used.content = workshop_.cast(used.content, *event.dtype);
    if (!accesses) accesses = Workshop::copy_out;
    used.dtype = *event.dtype;
    if (used.rounded == RoundedBy::Nothing) {
      used.rounded = RoundedBy::Cast;
      used.rounded_by = scope.event_number;
    }
  }
  // A short table is widened to what it is multiplied with, as elementwise arithmetic promotes it.
  if (used.dtype != Dtype::F32) {
    used.content = workshop_.cast(used.content, Dtype::F32);
    used.dtype = Dtype::F32;
    if (!accesses) accesses = Workshop::copy_out;
  }
  const bool stale = buffer.captured && buffer.freed_by >= 0;
  const bool elsewhere = buffer.home >= 0 && u32(buffer.home) != scope.number;
  const i32 run = workshop_.forward({used.content, used.rows, stale, elsewhere}, event.first_position, event.positions,
                                    wanted.dtype);
  const bool raced =
      !stale && !elsewhere && races(rank, scope.event_number, n, accesses.value_or(workshop_.run(run).accesses));
  if (raced || workshop_.run(run).good()) return;
  Failure failure;
  if (stale) {
    failure = {"stale-pointer-after-growth",
               scope.event_number,
               buffer.freed_by,
               i16(n),
               Label::Stale,
               fmt::format("reads memory that was freed: the {} holds a pointer to the {} of before",
                           plan_.events[size_t(buffer.captured_by)].by == "compile" ? "compiled graph" : "CUDA graph",
                           wanted.name)};
  } else if (elsewhere) {
    failure = {"shared-without-device",
               scope.event_number,
               buffer.made_by,
               i16(n),
               Label::Absent,
               fmt::format("reads memory of another device: the registry's key lacks the device, and {} is that of the "
                           "device that came first",
                           wanted.name)};
  } else {
    failure = explain(scope, n, used);
  }
  failure.run = run;
  if (event.first_position + event.positions > used.rows) {
    failure.text = fmt::format("asks for rows that {} does not have", wanted.name);
  }
  fail(rank, std::move(failure), false);
}

Failure Simulator::explain(const Scope& scope, u32 n, const BufferState& used) const {
  const std::string& name = plan_.buffers[n].name;
  Failure failure{"", scope.event_number, used.made_by, i16(n), used.label, ""};
  const bool broadcast = used.made_by >= 0 && plan_.events[size_t(used.made_by)].is_collective();
  if (used.label == Label::Garbage) {
    failure.text = fmt::format("reads {} before anything has written it", name);
    const bool has_reset = std::any_of(plan_.events.begin(), plan_.events.end(), [&](const Event& event) {
      return event.kind == EventKind::Reset &&
             std::find(event.buffers.begin(), event.buffers.end(), n) != event.buffers.end();
    });
    if (used.emptied_by >= 0 && !broadcast) failure.culprit = used.emptied_by;
    if (broadcast && used.skipped_by < 0) {
      failure.cause = "broadcast-before-init";
      failure.text = fmt::format("reads what a broadcast brought: the rank that gave {} had not written it", name);
    } else if (used.skipped_by >= 0 || (used.emptied_by >= 0 && has_reset)) {
      failure.cause = "reset-skipped-after-to-empty";
      failure.text = fmt::format("reads the memory that to_empty gave {}: nothing has written it since", name);
    } else if (used.emptied_by >= 0 && used.had_values) {
      failure.cause = "values-lost-in-to-empty";
      failure.text = fmt::format("reads the memory that to_empty gave {}: it had its values before", name);
    } else if (used.emptied_by >= 0 && !used.computed_on_meta) {
      failure.text = fmt::format("reads the memory that to_empty gave {}: nothing computes it on this rank", name);
    } else if (used.emptied_by >= 0) {
      failure.cause = "built-on-meta";
      failure.text = fmt::format(
          "reads the memory that to_empty gave {}: its values were computed on meta, and nobody "
          "computes them again",
          name);
    }
    return failure;
  }
  failure.text = fmt::format("turns by wrong angles: {} is not what the configuration asks for", name);
  if (used.rounded != RoundedBy::Nothing) {
    failure.label = Label::Rounded;
    failure.culprit = used.rounded_by;
    failure.cause = used.rounded == RoundedBy::ZeroInit      ? "dtype-forced-by-zero-init"
                    : used.rounded == RoundedBy::Frequencies ? "cast-then-regrown"
                                                             : "table-cast";
  } else if (used.unscaled) {
    const bool reset = used.made_by >= 0 && plan_.events[size_t(used.made_by)].kind == EventKind::Reset;
    failure.cause = used.label == Label::FromCheckpoint ? "unscaled-checkpoint"
                    : reset                             ? "scaling-lost-in-reset"
                                                        : "scaling-missing";
  }
  return failure;
}

std::string in_words(const ForwardRun& run) {
  if (!run.refusal.empty()) return "the preconditions of rotary/apply refuse the launch: " + run.refusal;
  if (!run.findings.empty()) {
    const Finding& first = run.findings.front();
    std::string location;
    if (first.location) location = fmt::format(" at {}:{}", first.location->file, first.location->line);
    return fmt::format("rotary/apply on the machine: {}: {}{}", name_of(first.rule), first.message, location);
  }
  if (run.wrong == 0) return "rotary/apply on the machine: the output agrees with the reference";
  return fmt::format(
      "rotary/apply on the machine: {} of {} elements differ from the reference; the furthest is {:.9g} "
      "where {:.9g} is expected, allowed {:.3g}",
      run.wrong, run.elements, run.worst->got.value_or(0), run.worst->expected.value_or(0),
      run.worst->bound.value_or(0));
}

}  // namespace ropewalk::init
