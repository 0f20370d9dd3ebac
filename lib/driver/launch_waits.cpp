#include "lib/driver/launch_waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/driver/undefined_of_launch.h"

namespace ropewalk::driver {

namespace {

// Whether a launch reads bytes, in a way that sees what others store meanwhile, which it does not write itself.
bool looks_at_bytes_of_others(const TouchedBytes& touched, u64 bytes) {
  const auto word = [](const u64* words, u64 number) { return words ? words[number] : 0; };
  for (u64 n = 0; n < (bytes + 63) / 64; ++n) {
    if (word(touched.strong_read, n) & ~word(touched.written, n) & ~word(touched.strong_written, n)) return true;
  }
  return false;
}

bool waits(const Finding& finding) {
  return finding.rule == Rule::Hang &&
         !(finding.location && finding.location->instruction.find("bar") != std::string::npos);
}

}  // namespace

void leave_waiting(Session& session, const Launch& launch, Outcome& outcome) {
  if (std::ranges::none_of(outcome.findings, waits)) return;
  for (std::size_t n = 0; n < outcome.tensors.size(); ++n) {
    const Allocation* const at = allocation_of(session.memory(), launch.tensors[n]);
    if (!at || at->freed) continue;
    const bool is_host = at->is_on_host();
    if (!is_host && !session.order().has_branches()) continue;
    if (!looks_at_bytes_of_others(outcome.tensors[n].touched, at->bytes)) continue;
    std::erase_if(outcome.findings, waits);
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason =
        fmt::format("it waits for what {0} to {1} ({2}) while it runs: here {3} when a kernel has ended",
                    is_host ? "the host writes" : "another stream or the host writes", launch.tensors[n].name,
                    at->text(), is_host ? "the host goes on" : "the next operation begins");
    return;
  }
}

}  // namespace ropewalk::driver
