#include "lib/diagnose/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/diagnose/access_words.h"
#include "lib/diagnose/kernel_waits.h"
#include "lib/finding/phrases.h"
#include "lib/ptx/write.h"

namespace ropewalk::diagnose {

namespace {

// Whether an access met a copy that nothing but its wait orders, and that was not waited for.
bool is_of_copy_under_way(const Finding& finding, const Scene& scene) {
  const bool may_be = finding.rule == Rule::SharedRace || finding.rule == Rule::UninitializedRead;
  if (!may_be || !finding.location || !finding.other_location || is_copy(finding.location->instruction) ||
      !is_copy(finding.other_location->instruction) || !finding.tried_barriers.empty() ||
      finding.message.find(copy_under_way) == std::string::npos)
    return false;
  // What the copies arrive at may have been waited for: then something else went wrong, such as a buffer that was given
  // back too early.
  const ptx::Function* const entry = scene.entry();
  if (!entry) return true;
  return !waits_at_mbarriers(*scene.launch.module, *entry) &&
         (is_of_one_thread(finding) || !has_other_waits(*scene.launch.module, *entry));
}

bool is_over_unread(const Finding& finding) { return finding.message.find(copy_over_unread) != std::string::npos; }

std::string under_way_text(const FindingLocation& copy, const FindingLocation& access) {
  return fmt::format("{} (PTX line {}) was still under way when {} (PTX line {}) {}", copy.instruction, copy.ptx_line,
                     access.instruction, access.ptx_line, is_load(access.instruction) ? "read" : "wrote");
}

// The waits for copies that stand before this line, with no barrier of the block behind them, or else the last ones: of
// equal ones the last.
std::vector<const ptx::Instruction*> waits_before(const ptx::Module& module, const ptx::Function& entry, u64 ptx_line) {
  std::vector<const ptx::Instruction*> found;
  bool is_new = false;  // a barrier has come since
  for (const ptx::Instruction& it : entry.instructions) {
    if (it.line >= ptx_line) continue;
    is_new |= may_come_to_barrier(module, entry, it);
    if (!is_copy_wait(module, it)) continue;
    if (std::exchange(is_new, false)) found.clear();
    std::erase_if(found, [&](const ptx::Instruction* one) {
      return ptx::text_of(module, entry, *one) == ptx::text_of(module, entry, it);
    });
    found.push_back(&it);
  }
  return found;
}

// Whether the copy is another thread's, and a wait stands behind it, but no barrier behind that wait: the thread that
// waits may be late.
bool lacks_barrier_behind_wait(const Finding& finding, const Scene& scene) {
  const ptx::Function* const entry = scene.entry();
  if (!entry || is_of_one_thread(finding)) return false;
  const u64 copy = finding.other_location->ptx_line, load = finding.location->ptx_line;
  bool has_waited = false;
  for (const ptx::Instruction& it : entry->instructions) {
    if (it.line <= copy || it.line >= load) continue;
    if (is_copy_wait(*scene.launch.module, it))
      has_waited = true;
    else if (has_waited && may_come_to_barrier(*scene.launch.module, *entry, it))
      return false;
  }
  return has_waited;
}

}  // namespace

std::optional<Cause> copy_too_early(const Finding& finding, const Scene& scene) {
  if (!is_of_copy_under_way(finding, scene) || !is_over_unread(finding)) return std::nullopt;
  const FindingLocation &load = *finding.location, &copy = *finding.other_location;
  Cause cause;
  cause.id = "copy-too-early";
  cause.text = fmt::format("what {} copies overwrites what {} is to read: the copy starts too early",
                           location_text(copy, load), location_text(load, copy));
  cause.evidence = {
      under_way_text(copy, load),
      "when it started, what the copy before it had brought to these bytes was not yet read, or was being read"};
  cause.advice = fmt::format("start the copy behind {} and a __syncthreads(), or copy to another buffer",
                             location_text(load, copy));
  return cause;
}

std::optional<Cause> missing_copy_wait(const Finding& finding, const Scene& scene) {
  if (!is_of_copy_under_way(finding, scene) || is_over_unread(finding) || lacks_barrier_behind_wait(finding, scene))
    return std::nullopt;
  const FindingLocation &load = *finding.location, &copy = *finding.other_location;
  const ptx::Function* const entry = scene.entry();
  Cause cause;
  cause.id = "missing-copy-wait";
  cause.text = fmt::format("what {} starts to copy {} at {} before the copy was waited for", location_text(copy, load),
                           is_done_to(load.instruction, finding.rule), location_text(load, copy));
  cause.evidence = {under_way_text(copy, load)};
  const CopyGroup group = entry && !copy.instruction.starts_with("cp.async.bulk")
                              ? group_of_copy(*scene.launch.module, *entry, copy.ptx_line, load.ptx_line)
                              : CopyGroup();
  const auto text_and_line = [&](const ptx::Instruction& it) {
    return fmt::format("{} (PTX line {})", ptx::text_of(*scene.launch.module, *entry, it), it.line);
  };
  const char* const wait =
      "wait until no group of copies is open that the tile belongs to (cp.async.wait_group counts the groups that may "
      "stay open), then __syncthreads()";
  if (group.is_none && group.wait) {
    cause.text =
        fmt::format("what {} starts to copy {} at {} before the copy is complete: it was never committed",
                    location_text(copy, load), is_done_to(load.instruction, finding.rule), location_text(load, copy));
    cause.evidence.push_back(
        fmt::format("{} waits for groups of copies, and this copy is in none: no cp.async.commit_group stands between",
                    text_and_line(*group.wait)));
    cause.advice = "put cp.async.commit_group (__pipeline_commit()) between the copy and the wait for it";
    return cause;
  }
  const std::vector<const ptx::Instruction*> waits =
      entry ? waits_before(*scene.launch.module, *entry, load.ptx_line) : std::vector<const ptx::Instruction*>();
  const ptx::Instruction* const last_wait = waits.empty() ? nullptr : waits.back();
  std::string texts;
  for (const ptx::Instruction* it : waits) texts += (texts.empty() ? "" : " and ") + text_and_line(*it);
  cause.evidence.push_back(waits.empty()       ? "no instruction before it waits for copies"
                           : waits.size() == 1 ? "the last wait before it is " + texts
                                               : "the last waits before it, on one way or another, are " + texts);
  if (group.is_none) cause.evidence.emplace_back("no cp.async.commit_group puts the copy into a group");
  cause.advice = group.is_none ? std::string("commit the copy (cp.async.commit_group), ") + wait : wait;
  // What was waited for before the copy began may be what the load is for.
  if (last_wait && last_wait->line < copy.ptx_line && copy.ptx_line < load.ptx_line)
    cause.advice +=
        "; if the load is for what was there before the copy, copy to another buffer, or behind the load and "
        "a barrier";
  return cause;
}

std::optional<Cause> cause_of_second_copy(const Finding& finding, const Scene& scene) {
  if (finding.rule != Rule::SharedRace || !finding.location || !finding.other_location ||
      !is_copy(finding.location->instruction) || !is_copy(finding.other_location->instruction))
    return std::nullopt;
  for (const Finding& read : scene.findings) {
    if (!read.cause || (read.cause->id != "missing-copy-wait" && read.cause->id != "copy-too-early")) continue;
    const auto is_it = [&](const FindingLocation& copy) {
      return copy.ptx_line == read.other_location->ptx_line || same_position(copy, *read.other_location);
    };
    const bool is_of_tensor = finding.access && read.access && finding.access->tensor == read.access->tensor;
    if (!is_of_tensor || (!is_it(*finding.location) && !is_it(*finding.other_location))) continue;
    Cause cause = *read.cause;
    cause.evidence = {"another copy into these bytes starts before that one is complete"};
    return cause;
  }
  return std::nullopt;
}

}  // namespace ropewalk::diagnose
