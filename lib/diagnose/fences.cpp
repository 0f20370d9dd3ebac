#include "lib/diagnose/fences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/diagnose/access_words.h"

namespace ropewalk::diagnose {
namespace {

using Is = MissingOrder::Is;

bool is_fence(const MissingOrder& it) {
  return it.location.instruction.starts_with("fence.") || it.location.instruction.starts_with("membar.");
}

// "flag.cu:9 signals without a release"
std::string what_is_missing(const MissingOrder& it, const std::string& where) {
  if (it.is == Is::Release) return fmt::format("{} signals without a release", where);
  if (it.is == Is::Acquire) return fmt::format("{} looks for the signal without an acquire", where);
  return fmt::format("{} is for threads of its own block alone, and these are of two blocks", where);
}

std::string taken_for(const MissingOrder& it) {
  return fmt::format("{} (PTX line {}) taken for {}", it.location.instruction, it.location.ptx_line,
                     it.is == Is::Release   ? "a release"
                     : it.is == Is::Acquire ? "an acquire"
                                            : "one of device scope");
}

std::string what_to_do(const MissingOrder& it, const std::string& where, const char* fence) {
  if (it.is == Is::Release) return fmt::format("put {} before {}", fence, where);
  if (it.is == Is::Acquire) return fmt::format("put {} after {}", fence, where);
  return is_fence(it) ? fmt::format("use __threadfence() at {}", where)
                      : fmt::format("leave out _block, or use cuda::thread_scope_device, at {}", where);
}

// ", or use cuda::atomic_ref with memory_order_release"; empty where scopes alone are to blame.
std::string memory_orders(const std::vector<MissingOrder>& all) {
  std::vector<std::string_view> orders;
  for (const auto& [is, order] :
       {std::pair(Is::Release, "memory_order_release"), {Is::Acquire, "memory_order_acquire"}})
    if (std::ranges::any_of(all, [&](const MissingOrder& it) { return it.is == is; })) orders.push_back(order);
  return orders.empty() ? "" : fmt::format(", or use cuda::atomic_ref with {}", fmt::join(orders, " and "));
}

}  // namespace

std::optional<Cause> missing_fence(const Finding& finding, const Scene&) {
  if (finding.missing_orders.empty() || !finding.location || !finding.other_location) return std::nullopt;
  const FindingLocation &later = *finding.location, &earlier = *finding.other_location;
  std::vector<FindingLocation> named{later, earlier};
  for (const MissingOrder& it : finding.missing_orders) named.push_back(it.location);
  const auto where_is = [&](const FindingLocation& at) { return location_text(at, named); };
  std::vector<std::string> missing, taken, advice;
  for (const MissingOrder& it : finding.missing_orders) {
    const std::string where = where_is(it.location);
    missing.push_back(what_is_missing(it, where));
    taken.push_back(taken_for(it));
    advice.push_back(what_to_do(it, where, finding.across_blocks ? "__threadfence()" : "__threadfence_block()"));
  }
  const std::string orders = memory_orders(finding.missing_orders);
  Cause cause;
  cause.id = orders.empty() ? "scope-too-narrow" : "missing-fence";
  cause.text =
      fmt::format("what {} {} {} at {}, and nothing orders that: {}", where_is(earlier), does(earlier.instruction),
                  is_done_to(later.instruction), where_is(later), fmt::join(missing, ", and "));
  cause.evidence = {
      fmt::format("with {}, nothing races there in any schedule that was tried", fmt::join(taken, " and "))};
  cause.advice = fmt::format("{}{}", fmt::join(advice, ", and "), orders);
  return cause;
}

}  // namespace ropewalk::diagnose
