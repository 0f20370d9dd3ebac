#include "lib/init/read_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/mapped_file.h"
#include "lib/base/nearest.h"
#include "lib/init/read_event.h"
#include "lib/rope/read_config.h"

namespace ropewalk::init {
namespace {

constexpr const char* plan_schema = "ropewalk.plan/1";
constexpr u32 most_ranks = 64;
constexpr u64 most_events = 32;

void read_formula(const JsonCursor& cursor, Plan& plan) {
  const rope::RopeConfig config = rope::read_rope_config(cursor);
  if (config.entries.empty()) cursor.fail("has no formula that is known here: " + config.notes.front());
  const auto of_model = [](const rope::RopeConfig::Entry& entry) { return entry.part.empty(); };
  if (std::count_if(config.entries.begin(), config.entries.end(), of_model) != 1)
    cursor.fail("has a formula for each type of layer; a plan has one");
  plan.formula = config.entries.front().formula;
}

void read_buffers(const JsonCursor& cursor, Plan& plan) {
  std::vector<std::pair<u32, JsonCursor>> sources;
  for (const auto& [name, value] : cursor.members()) {
    value.expect_keys({"holds", "persistent", "dtype", "rows", "from", "registry_key"});
    BufferPlan buffer{name};
    buffer.rows = plan.formula.max_positions ? plan.formula.max_positions : 64;
    if (value.has("holds")) {
      buffer.form = BufferForm(value.at("holds").choice({"table", "frequencies"}, "form"));
    }
    value.read_if("persistent", buffer.persistent);
    value.read_if("rows", buffer.rows, 1, 1 << 16);
    if (buffer.rows > 1 << 16) value.fail("\"rows\" is missing: the configuration's length is more than 65536");
    if (value.has("dtype")) buffer.dtype = read_dtype(value.at("dtype"));
    if (value.has("registry_key")) {
      buffer.shared = true;
      buffer.device_in_key = false;
      for (const JsonCursor& part : value.at("registry_key").elements()) {
        if (part.text() == "device") buffer.device_in_key = true;
      }
    }
    if (value.has("from")) sources.emplace_back(u32(plan.buffers.size()), value.at("from"));
    plan.buffers.push_back(buffer);
  }
  if (plan.buffers.empty()) cursor.fail("expected at least one buffer");
  std::vector<std::string> names;
  for (const BufferPlan& buffer : plan.buffers) names.push_back(buffer.name);
  for (const auto& [number, source] : sources) {
    const u32 from = u32(source.choice(names, "buffer"));
    if (plan.buffers[from].form != BufferForm::Frequencies || plan.buffers[number].form != BufferForm::Table) {
      source.fail("only a table is computed from a buffer, and only from one that holds frequencies");
    }
    plan.buffers[number].from = i32(from);
  }
}

// "to_empty", or "to_empty@0": of rank 0.
Event::After read_after(const JsonCursor& cursor, const std::vector<std::string>& names) {
  const std::string text = cursor.text();
  const size_t at = text.find('@');
  const std::string name = text.substr(0, at);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) cursor.fail("unknown event \"" + name + "\", " + did_you_mean(name, names));
  Event::After after{u32(found - names.begin())};
  if (at == std::string::npos) return after;
  const std::string rank = text.substr(at + 1);
  if (rank.empty() || rank.size() > 2 || rank.find_first_not_of("0123456789") != std::string::npos) {
    cursor.fail("expected a rank after \"@\", found \"" + rank + "\"");
  }
  after.rank = u32(std::stoul(rank));
  return after;
}

// Events that must come before, over any number of steps on the same rank, are written into the event itself, so that
// they hold on ranks too on which a step between is missing.
void close_over_steps(Plan& plan) {
  for (size_t round = 0; round < plan.events.size(); ++round) {
    for (Event& event : plan.events) {
      const std::vector<Event::After> direct = event.after;
      for (const Event::After& step : direct) {
        if (step.rank) continue;
        for (const Event::After& further : plan.events[step.event].after) {
          const bool there = std::any_of(event.after.begin(), event.after.end(), [&](const Event::After& known) {
            return known.event == further.event && known.rank == further.rank;
          });
          if (!there) event.after.push_back(further);
        }
      }
    }
  }
}

// Fails where the event waits for one that happens on no rank that it happens on: such a wait would hold nothing back.
// `most`: ranks that the plan may have, where --ranks gives it fewer.
void require_that_it_happens(const JsonCursor& cursor, const Plan& plan, const Event& event, const Event::After& after,
                             u32 most) {
  const Event& waited_for = plan.events[after.event];
  if (after.rank && *after.rank >= plan.ranks) {
    cursor.fail(fmt::format("there is no rank {}; the plan has {} of them", *after.rank, plan.ranks));
  }
  if (after.rank && !waited_for.happens_on(*after.rank)) {
    cursor.fail(fmt::format("{} does not happen on rank {}", waited_for.name, *after.rank));
  }
  if (after.rank) return;
  bool happens = false, both = false;
  for (u32 rank = 0; rank < most; ++rank) {
    happens = happens || event.happens_on(rank);
    both = both || (event.happens_on(rank) && waited_for.happens_on(rank));
  }
  if (happens && !both) {
    cursor.fail(fmt::format("{} happens on no rank that {} happens on; give the rank to wait for, as \"{}@0\"",
                            waited_for.name, event.name, waited_for.name));
  }
}

void read_events(const JsonCursor& cursor, Plan& plan, u32 most_ranks_of_plan) {
  const std::vector<JsonCursor> elements = cursor.elements();
  if (elements.empty()) cursor.fail("expected at least one event");
  if (elements.size() > most_events) {
    cursor.fail("has " + std::to_string(elements.size()) + " events, at most " + std::to_string(most_events) +
                " are possible");
  }
  std::vector<std::string> names;
  for (const JsonCursor& element : elements) {
    plan.events.push_back(read_event(element, plan));
    if (std::find(names.begin(), names.end(), plan.events.back().name) != names.end()) {
      element.fail("the name \"" + plan.events.back().name + "\" is taken; give the event a \"name\" of its own");
    }
    names.push_back(plan.events.back().name);
    for (const u32 rank : plan.events.back().listed_ranks) {
      if (rank < most_ranks_of_plan) continue;
      element.at("ranks").fail(fmt::format("there is no rank {}; the plan has {} of them", rank, most_ranks_of_plan));
    }
  }
  for (size_t n = 0; n < elements.size(); ++n) {
    if (!elements[n].has("after")) continue;
    const JsonCursor list = elements[n].at("after");
    for (const JsonCursor& after : list.is_array() ? list.elements() : std::vector<JsonCursor>{list}) {
      plan.events[n].after.push_back(read_after(after, names));
      require_that_it_happens(after, plan, plan.events[n], plan.events[n].after.back(), most_ranks_of_plan);
    }
  }
  close_over_steps(plan);
  for (size_t n = 0; n < elements.size(); ++n) {
    for (const Event::After& after : plan.events[n].after) {
      if (after.event == n && !after.rank) elements[n].fail("must come after itself, over the steps of \"after\"");
    }
  }
}

// The lines on which events begin: that of "do", in the order of the file.
void find_lines(std::string_view text, Plan& plan) {
  u64 line = 1;
  size_t event = 0;
  for (size_t at = 0; at < text.size() && event < plan.events.size(); ++at) {
    if (text[at] == '\n') ++line;
    if (!text.substr(at).starts_with("\"do\"")) continue;
    plan.events[event++].line = line;
  }
}

}  // namespace

Plan read_plan(std::string_view text, const std::string& path, std::optional<u32> ranks) {
  const JsonCursor root(parse_json(text, path), path);
  root.expect_keys({"schema", "name", "about", "related", "ranks", "config", "buffers", "events"});
  root.expect_schema(plan_schema);
  Plan plan;
  plan.path = path;
  plan.streams = {"default"};
  root.read_if("name", plan.name);
  root.read_if("about", plan.about);
  root.read_if("related", plan.related);
  root.read_if("ranks", plan.ranks, 1, most_ranks);
  const u32 own_ranks = plan.ranks;
  if (ranks) plan.ranks = *ranks;
  read_formula(root.at("config"), plan);
  read_buffers(root.at("buffers"), plan);
  read_events(root.at("events"), plan, std::max(own_ranks, plan.ranks));
  find_lines(text, plan);
  return plan;
}

Plan read_plan_file(const std::string& path, std::optional<u32> ranks) {
  return read_plan(MappedFile(path).text(), path, ranks);
}

}  // namespace ropewalk::init
