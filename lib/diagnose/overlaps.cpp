#include "lib/diagnose/overlaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/access_words.h"
#include "lib/diagnose/kernel_waits.h"
#include "lib/diagnose/updates.h"

namespace ropewalk::diagnose {

namespace {

bool are_one_instruction(const FindingLocation& a, const FindingLocation& b) { return a.ptx_line == b.ptx_line; }

// Whether an instruction reads shared memory, or may do so, or lets others do so.
bool may_read_shared(const ptx::Module& module, const ptx::Function& entry, const ptx::Instruction& it) {
  const std::string& text = module.opcode(it).text;
  const bool reads = is_load(text) || is_atomic(text);
  const bool is_elsewhere = text.find(".global") != text.npos || text.find(".local") != text.npos ||
                            text.find(".param") != text.npos || text.find(".const") != text.npos;
  return (reads && !is_elsewhere) || text.starts_with("call") || may_come_to_barrier(module, entry, it);
}

// Whether a thread that has made the one store comes to the other with nothing between that reads shared memory, and no
// other way: then a barrier would only choose which of two values is lost. In a warp that makes them in turn, the
// earlier one is not of the round before.
bool follow_each_other(const Finding& race, const ptx::Module& module, const Launch& launch,
                       const ptx::Function& entry) {
  const u64 a = race.other_location->ptx_line, b = race.location->ptx_line;
  const auto [first, last] = std::minmax(a, b);
  const bool are_in_turn = a < b && are_of_one_warp(*race.thread, *race.other_thread, launch.block);
  if (!are_in_turn &&
      (ways_between(module, entry, last, first).without || ways_between(module, entry, first, first).without ||
       ways_between(module, entry, last, last).without))
    return false;
  const ptx::Instruction *const one = instruction_at(entry, first), *const other = instruction_at(entry, last);
  const ptx::Flow flow = ptx::flow_of(module, entry);
  const auto block_of = [&](const ptx::Instruction* it) { return flow.block_of[u32(it - entry.instructions.data())]; };
  return one && other && block_of(one) == block_of(other) &&
         std::none_of(one, other, [&](const ptx::Instruction& it) { return may_read_shared(module, entry, it); });
}

bool is_overlap(const Finding& race, const Scene& scene) {
  if (race.rule != Rule::SharedRace || race.severity != Severity::Error || !race.location || !race.other_location ||
      !race.thread || !race.other_thread || !race.access || !race.tried_barriers.empty())
    return false;
  const FindingLocation &here = *race.location, &there = *race.other_location;
  const ptx::Function* const entry = scene.entry();
  return entry && is_store(here.instruction) && is_store(there.instruction) &&
         follow_each_other(race, *scene.launch.module, scene.launch, *entry);
}

bool share_bytes(const Access& a, const Access& b) {
  const i64 first = a.byte_offset.value_or(0), other = b.byte_offset.value_or(0);
  return a.space == b.space && a.tensor == b.tensor && first < other + i64(b.bytes) && other < first + i64(a.bytes);
}

// The overlap that a race comes of; nullptr: there is none.
const Finding* overlap_of(const Finding& race, const Scene& scene) {
  if (race.rule != Rule::SharedRace || !race.access || !race.missing_orders.empty()) return nullptr;
  if (is_overlap(race, scene)) return &race;
  const auto of_it = std::ranges::find_if(scene.findings, [&](const Finding& it) {
    return is_overlap(it, scene) && share_bytes(*it.access, *race.access);
  });
  return of_it == scene.findings.end() ? nullptr : &*of_it;
}

}  // namespace

bool is_in_overlap(const Finding& race, const Scene& scene) { return overlap_of(race, scene) != nullptr; }

std::optional<Cause> overlapping_stores(const Finding& finding, const Scene& scene) {
  const Finding* const overlap = overlap_of(finding, scene);
  if (!overlap || missing_atomic(finding, scene)) return std::nullopt;
  const FindingLocation &here = *overlap->location, &there = *overlap->other_location;
  const std::string line = location_text(here, FindingLocation());
  const std::string reason = are_one_instruction(here, there)
                                 ? "it is one instruction"
                                 : fmt::format("nothing between {} and {} reads shared memory",
                                               location_text(there, here), location_text(here, there));
  Cause cause;
  cause.id = "overlapping-stores";
  cause.text = fmt::format("two threads of a block store to one element at {}", line);
  cause.evidence = {
      fmt::format("{} and {} both store to {} + {}, and a barrier would only choose which value is lost: {}",
                  text_of(*overlap->other_thread), text_of(*overlap->thread),
                  overlap->access->tensor.empty() ? "shared memory" : overlap->access->tensor,
                  overlap->access->byte_offset.value_or(0), reason)};
  cause.advice = fmt::format(
      "give each thread an element of its own at {}, or let one of them store; compare the index of "
      "these two threads, a stride may be too small",
      line);
  return cause;
}

}  // namespace ropewalk::diagnose
