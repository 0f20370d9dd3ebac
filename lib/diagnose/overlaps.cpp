#include "lib/diagnose/overlaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/access_words.h"
#include "lib/diagnose/kernel_waits.h"

namespace ropewalk::diagnose {

namespace {

bool are_one_instruction(const FindingLocation& a, const FindingLocation& b) { return a.ptx_line == b.ptx_line; }

// Whether a thread that has made the one access comes to the other in a later round of a loop, with no barrier on the
// way.
bool may_be_of_two_rounds(const FindingLocation& a, const FindingLocation& b, const ptx::Module& module,
                          const ptx::Function& entry) {
  const auto [first, last] = std::minmax(a.ptx_line, b.ptx_line);
  return ways_between(module, entry, last, first).without || ways_between(module, entry, first, first).without ||
         ways_between(module, entry, last, last).without;
}

bool is_overlap(const Finding& race, const Scene& scene) {
  if (race.rule != Rule::SharedRace || race.severity != Severity::Error || !race.location || !race.other_location ||
      !race.thread || !race.other_thread || !race.access || !race.tried_barriers.empty())
    return false;
  const FindingLocation &here = *race.location, &there = *race.other_location;
  const ptx::Function* const entry = scene.entry();
  return entry && is_store(here.instruction) && is_store(there.instruction) &&
         (same_position(here, there) || are_one_instruction(here, there)) &&
         !may_be_of_two_rounds(here, there, *scene.launch.module, *entry);
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

std::string text_of(const ThreadId& id) {
  return fmt::format("({}, {}, {})", id.thread[0], id.thread[1], id.thread[2]);
}

}  // namespace

bool is_in_overlap(const Finding& race, const Scene& scene) { return overlap_of(race, scene) != nullptr; }

std::optional<Cause> overlapping_stores(const Finding& finding, const Scene& scene) {
  const Finding* const overlap = overlap_of(finding, scene);
  if (!overlap) return std::nullopt;
  const FindingLocation &here = *overlap->location, &there = *overlap->other_location;
  const std::string line = location_text(here, FindingLocation());
  Cause cause;
  cause.id = "overlapping-stores";
  cause.text = fmt::format("two threads of a block store to one element at {}", line);
  cause.evidence = {fmt::format(
      "threads {} and {} of one block both store to {} + {}{}, and no barrier can stand between: it is one statement",
      text_of(*overlap->other_thread), text_of(*overlap->thread),
      overlap->access->tensor.empty() ? "shared memory" : overlap->access->tensor,
      overlap->access->byte_offset.value_or(0),
      are_one_instruction(here, there) ? ""
                                       : fmt::format(" (PTX lines {} and {})", std::min(here.ptx_line, there.ptx_line),
                                                     std::max(here.ptx_line, there.ptx_line)))};
  cause.advice = fmt::format(
      "give each thread an element of its own at {}, or let one of them store; compare the index of "
      "these two threads, a stride may be too small",
      line);
  return cause;
}

}  // namespace ropewalk::diagnose
