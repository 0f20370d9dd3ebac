#include "lib/init/read_event.h"

#include <algorithm>
#include <cstdio>

#include "lib/base/nearest.h"

namespace ropewalk::init {
namespace {

// The options that each kind of event has, beside name, do, ranks, after and buffers.
std::vector<std::string> options_of(EventKind kind) {
  switch (kind) {
    case EventKind::EnterZeroInit:
      return {"deepspeed", "dtype"};
    case EventKind::Construct:
    case EventKind::To:
      return {"on"};
    case EventKind::RegisterBuffer:
      return {"persistent"};
    case EventKind::BuildCache:
      return {"scaled", "value_branch", "stream", "from_integers"};
    case EventKind::Reset:
      return {"when", "scaled", "value_branch", "stream", "from_integers"};
    case EventKind::Shard:
      return {"by", "buffer_dtype"};
    case EventKind::Cast:
      return {"dtype"};
    case EventKind::LoadCheckpoint:
      return {"strict", "has_buffer", "scaled", "dtype", "assign"};
    case EventKind::Broadcast:
      return {"levels", "skips_synced", "node_size"};
    case EventKind::Capture:
      return {"by"};
    case EventKind::Grow:
      return {"rows", "stream"};
    case EventKind::Wait:
      return {"stream", "for"};
    case EventKind::Forward:
      return {"never_called", "first_position", "positions", "stream", "cast_forward_inputs"};
    default:
      return {};
  }
}

DeepSpeedVersion read_version(const JsonCursor& cursor) {
  const std::string text = cursor.text();
  DeepSpeedVersion version;
  char rest = 0;
  const int count = std::sscanf(text.c_str(), "%d.%d.%d%c", &version.major, &version.minor, &version.patch, &rest);
  if (count != 2 && count != 3) cursor.fail("expected a version such as \"0.9.3\", found " + cursor.description());
  return version;
}

u32 read_stream(const JsonCursor& cursor, Plan& plan) {
  const std::string name = cursor.text();
  const auto found = std::find(plan.streams.begin(), plan.streams.end(), name);
  if (found != plan.streams.end()) return u32(found - plan.streams.begin());
  if (plan.streams.size() == 32) cursor.fail("is one stream too many: a plan has at most 32");
  plan.streams.push_back(name);
  return u32(plan.streams.size() - 1);
}

void read_ranks(const JsonCursor& cursor, Event& event) {
  if (cursor.is_array()) {
    event.ranks = Event::Ranks::Listed;
    for (const JsonCursor& rank : cursor.elements()) event.listed_ranks.push_back(u32(rank.natural(0, 63)));
    return;
  }
  constexpr Event::Ranks choices[] = {Event::Ranks::All, Event::Ranks::First, Event::Ranks::Others};
  event.ranks = choices[cursor.choice({"all", "first", "others"}, "choice of ranks")];
}

void read_buffers(const JsonCursor& cursor, const Plan& plan, Event& event) {
  std::vector<std::string> names;
  for (const BufferPlan& buffer : plan.buffers) names.push_back(buffer.name);
  const std::vector<JsonCursor> given = cursor.is_array() ? cursor.elements() : std::vector<JsonCursor>{cursor};
  for (const JsonCursor& name : given) event.buffers.push_back(u32(name.choice(names, "buffer")));
}

void read_residence(const JsonCursor& cursor, Event& event) {
  constexpr Residence residences[] = {Residence::Meta, Residence::Cpu, Residence::Device};
  event.on = residences[cursor.choice({"meta", "cpu", "device"}, "device")];
  if (event.kind == EventKind::To && event.on == Residence::Meta)
    cursor.fail("nothing is moved to meta; use construct");
}

void read_levels(const JsonCursor& cursor, Event& event) {
  const size_t choice = cursor.choice({"flat", "intra_then_inter", "inter_then_intra"}, "order of levels");
  event.two_level = choice > 0;
  event.intra_first = choice == 1;
}

void read_option(const std::string& key, const JsonCursor& value, Plan& plan, Event& event) {
  if (key == "deepspeed") event.deepspeed = read_version(value);
  if (key == "dtype" || key == "buffer_dtype" || key == "cast_forward_inputs") event.dtype = read_dtype(value);
  if (key == "on") read_residence(value, event);
  if (key == "persistent") value.read(event.persistent);
  if (key == "never_called") value.read(event.never_called);
  if (key == "scaled") value.read(event.scaled);
  if (key == "strict") value.read(event.strict);
  if (key == "assign") value.read(event.assign);
  if (key == "from_integers") value.read(event.from_integers);
  if (key == "has_buffer") value.read(event.has_buffer);
  if (key == "skips_synced") value.read(event.skips_synced);
  if (key == "node_size") event.node_size = u32(value.natural(1, 64));
  if (key == "levels") read_levels(value, event);
  if (key == "rows") event.rows = value.integer(1, 1 << 16);
  if (key == "first_position") event.first_position = value.integer(0, 1 << 16);
  if (key == "positions") event.positions = value.integer(1, 1 << 12);
  if (key == "stream") event.stream = read_stream(value, plan);
  if (key == "for") event.for_stream = read_stream(value, plan);
  if (key == "value_branch") {
    event.branch = ValueBranch(value.choice({"none", "raises_on_meta", "skipped_on_meta"}, "kind of branch"));
  }
  if (key == "when") {
    event.when = ResetWhen(value.choice({"always", "if_meta", "if_meta_or_length_changed"}, "condition"));
  }
  if (key == "by") {
    const bool shard = event.kind == EventKind::Shard;
    const std::vector<std::string> names =
        shard ? std::vector<std::string>{"fsdp1", "fsdp2", "zero3"} : std::vector<std::string>{"compile", "cuda_graph"};
    event.by = names[value.choice(names, shard ? "way to shard" : "way to capture")];
  }
}

// What an event of this kind cannot be without.
std::vector<const char*> needed_by(EventKind kind) {
  switch (kind) {
    case EventKind::EnterZeroInit:
      return {"deepspeed"};
    case EventKind::Construct:
    case EventKind::To:
      return {"on"};
    case EventKind::Cast:
      return {"dtype"};
    case EventKind::Grow:
      return {"rows"};
    case EventKind::Wait:
      return {"stream", "for"};
    default:
      return {};
  }
}

}  // namespace

Dtype read_dtype(const JsonCursor& cursor) {
  constexpr Dtype dtypes[] = {Dtype::F32, Dtype::F16, Dtype::BF16};
  return dtypes[cursor.choice({"f32", "f16", "bf16"}, "dtype")];
}

Event read_event(const JsonCursor& cursor, Plan& plan) {
  Event event;
  const JsonCursor kind = cursor.at("do");
  const std::string kind_name = kind.text();
  if (!event_kind_named(kind_name)) {
    kind.fail("unknown event \"" + kind_name + "\", " + did_you_mean(kind_name, event_kind_names()));
  }
  event.kind = *event_kind_named(kind_name);
  std::vector<std::string> known = {"name", "do", "after", "ranks", "buffers"};
  const std::vector<std::string> options = options_of(event.kind);
  known.insert(known.end(), options.begin(), options.end());
  cursor.expect_keys(known);
  event.name = cursor.has("name") ? cursor.at("name").text() : kind_name;
  if (event.name.empty() || event.name.find('@') != std::string::npos) {
    cursor.at("name").fail("expected a name without \"@\", found \"" + event.name + "\"");
  }
  for (const char* needed : needed_by(event.kind)) {
    if (!cursor.has(needed)) cursor.fail("the key \"" + std::string(needed) + "\" of " + kind_name + " is missing");
  }
  if (event.kind == EventKind::EnterZeroInit) event.dtype = Dtype::BF16;
  for (const std::string& option : options) {
    if (cursor.has(option)) read_option(option, cursor.at(option), plan, event);
  }
  for (const char* of_two_levels : {"node_size", "skips_synced"}) {
    if (cursor.has(of_two_levels) && !event.two_level)
      cursor.at(of_two_levels).fail("only a broadcast in two levels has it; \"levels\" are flat here");
  }
  if (cursor.has("ranks")) read_ranks(cursor.at("ranks"), event);
  if (event.is_collective() && event.ranks != Event::Ranks::All) {
    cursor.at("ranks").fail("a broadcast takes part on all ranks");
  }
  if (cursor.has("buffers")) {
    read_buffers(cursor.at("buffers"), plan, event);
  } else {
    for (u32 n = 0; n < plan.buffers.size(); ++n) event.buffers.push_back(n);
  }
  return event;
}

}  // namespace ropewalk::init
