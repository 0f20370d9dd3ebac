// What is reported of two operations that nothing orders.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lib/driver/stream_order.h"

namespace ropewalk::driver {

namespace {

const char* verb_of(const Operation& operation, bool writes) {
  return *operation.verb ? operation.verb : writes ? "writes" : "reads";
}

// Where it was called, or put into its graph.
const CallStack& stack_of(const Operation& operation) {
  return operation.added_at.empty() ? operation.called_at : operation.added_at;
}

// "kernel scale", "cudaMemcpyAsync", "the node of cudaGraphAddMemcpyNode"
std::string subject(const Operation& operation) {
  if (!operation.entry.empty()) return "kernel " + operation.name;
  if (operation.added_at.empty()) return operation.name;
  return operation.name.starts_with("cu") ? "the node of " + operation.name : operation.name;
}

// Of two kernels of a stream: the earlier one may still run when the later one begins.
bool has_begun_early(const StreamRace& race) {
  return std::ranges::find(race.later.unfinished, race.earlier.at) != race.later.unfinished.end();
}

void add_operation(std::vector<std::string>& evidence, const Operation& operation) {
  const bool is_kernel = !operation.entry.empty(), is_node = !operation.added_at.empty();
  const std::string name = is_kernel ? operation.name : subject(operation);
  const std::string what = name + (is_node ? " was put into the graph" : is_kernel ? " was launched" : " was called");
  add_stack(evidence, what, operation.stack.empty() ? stack_of(operation).lines() : operation.stack);
}

}  // namespace

std::string Operation::text() const { return fmt::format("{} in {}", subject(*this), line); }

Finding describe(const StreamRace& race) {
  const auto& [earlier, later, earlier_writes, later_writes, at, bytes, others] = race;
  Finding out =
      finding_once(Rule::StreamRace,
                   fmt::format("{} {} {}, which {} {}, {}", later.text(), verb_of(later, later_writes), at.text(),
                               earlier.text(), verb_of(earlier, earlier_writes),
                               has_begun_early(race) && later.grid.waits ? "before it waits for the end of that kernel"
                                                                         : "and neither waits for the other"),
                   later.name, later.entry.empty() ? later.name : later.entry);
  out.access = Access{.space = "global", .bytes = bytes.last - bytes.first, .tensor = at.text()};
  out.access->byte_offset = i64(bytes.first);
  out.location = stack_of(later).location();
  out.other_location = stack_of(earlier).location();
  return out;
}

std::vector<std::string> evidence_of(const StreamRace& race) {
  const auto& [at, bytes] = std::tie(race.allocation, race.bytes);
  std::vector<std::string> out;
  const auto add_bytes = [&](const Allocation& met, const ByteRange& range) {
    out.push_back(fmt::format("they meet at bytes {} to {} of {}", range.first, range.last - 1, met.text()));
  };
  add_bytes(at, bytes);
  for (const auto& [other, range] : race.others) add_bytes(*other, range);
  if (has_begun_early(race)) {
    out.push_back(
        "the later kernel was launched with programmatic stream serialization, the one before lets it begin early "
        "(griddepcontrol.launch_dependents), and it " +
        std::string(race.later.grid.waits ? "touches these bytes before it waits" : "does not wait") +
        " (griddepcontrol.wait, cudaGridDependencySynchronize)");
  }
  add_operation(out, race.later);
  add_operation(out, race.earlier);
  const bool is_variable = !at.name.empty();
  if (!is_variable) add_stack(out, fmt::format("{} was made by {}", at.text(), at.made_by), at.made_at.lines());
  return out;
}

}  // namespace ropewalk::driver
