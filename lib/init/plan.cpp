#include "lib/init/plan.h"

#include <algorithm>

namespace ropewalk::init {
namespace {

struct KindName {
  EventKind kind;
  std::string_view name;
};

constexpr KindName kind_names[] = {
    {EventKind::DefineClass, "define_class"},
    {EventKind::EnterZeroInit, "enter_zero_init"},
    {EventKind::ExitZeroInit, "exit_zero_init"},
    {EventKind::Construct, "construct"},
    {EventKind::RegisterBuffer, "register_buffer"},
    {EventKind::BuildCache, "build_cache"},
    {EventKind::Shard, "shard"},
    {EventKind::ToEmpty, "to_empty"},
    {EventKind::To, "to"},
    {EventKind::Cast, "cast"},
    {EventKind::Reset, "reset_parameters"},
    {EventKind::Reset, "init_weights"},
    {EventKind::LoadCheckpoint, "load_checkpoint"},
    {EventKind::Broadcast, "broadcast"},
    {EventKind::PipelineSplit, "pipeline_split"},
    {EventKind::Capture, "capture"},
    {EventKind::Grow, "grow"},
    {EventKind::Wait, "wait"},
    {EventKind::Forward, "forward"},
};

void add_unless_there(std::vector<Event::After>& list, const Event::After& after) {
  const bool there = std::any_of(list.begin(), list.end(), [&](const Event::After& other) {
    return other.event == after.event && other.rank == after.rank;
  });
  if (!there) list.push_back(after);
}

}  // namespace

std::string_view name_of(EventKind kind) {
  for (const KindName& entry : kind_names) {
    if (entry.kind == kind) return entry.name;
  }
  return "";
}

std::optional<EventKind> event_kind_named(std::string_view name) {
  for (const KindName& entry : kind_names) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

std::vector<std::string> event_kind_names() {
  std::vector<std::string> names;
  for (const KindName& entry : kind_names) names.emplace_back(entry.name);
  return names;
}

bool Event::happens_on(u32 rank) const {
  switch (ranks) {
    case Ranks::All:
      return true;
    case Ranks::First:
      return rank == 0;
    case Ranks::Others:
      return rank != 0;
    case Ranks::Listed:
      return std::find(listed_ranks.begin(), listed_ranks.end(), rank) != listed_ranks.end();
  }
  return false;
}

bool ranks_share_memory(const Plan& plan) {
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [](const BufferPlan& buffer) { return buffer.shared && !buffer.device_in_key; });
}

std::vector<NamedEvent> named_events(const Plan& plan) {
  std::vector<NamedEvent> named;
  for (const Event& event : plan.events) {
    for (const Event::After& after : event.after) {
      if (!after.rank || *after.rank >= plan.ranks) continue;
      const Event& waited_for = plan.events[after.event];
      const NamedEvent one{after.event, *after.rank};
      if (waited_for.is_collective() || !waited_for.happens_on(one.rank)) continue;
      if (std::find(named.begin(), named.end(), one) == named.end()) named.push_back(one);
    }
  }
  return named;
}

Plan without_event(const Plan& plan, u32 event) {
  Plan smaller = plan;
  const std::vector<Event::After> inherited = plan.events[event].after;
  for (Event& other : smaller.events) {
    std::vector<Event::After> kept;
    bool depended = false;
    for (const Event::After& after : other.after) {
      if (after.event == event) {
        depended = true;
      } else {
        add_unless_there(kept, after);
      }
    }
    if (depended) {
      for (const Event::After& after : inherited) add_unless_there(kept, after);
    }
    for (Event::After& after : kept) after.event -= after.event > event;
    other.after = std::move(kept);
  }
  smaller.events.erase(smaller.events.begin() + event);
  return smaller;
}

}  // namespace ropewalk::init
