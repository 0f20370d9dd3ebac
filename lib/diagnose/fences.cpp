#include "lib/diagnose/fences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "lib/diagnose/access_words.h"

namespace ropewalk::diagnose {
namespace {

using Is = MissingOrder::Is;

// What is missing of one kind.
struct Missing {
  Is is;
  std::vector<std::string> where, instructions;

  std::string locations() const { return fmt::to_string(fmt::join(where, " and ")); }
  // "flag.cu:9 signals without a release"
  std::string text() const {
    const bool is_one = where.size() == 1;
    if (is == Is::Release) return fmt::format("{} signal{} without a release", locations(), is_one ? "s" : "");
    if (is == Is::Acquire)
      return fmt::format("{} look{} for the signal without an acquire", locations(), is_one ? "s" : "");
    return fmt::format("{} {} block scope, but the threads are in different blocks", locations(),
                       is_one ? "has" : "have");
  }
  std::string taken_for() const {
    const bool is_one = where.size() == 1;
    const char* const kind = is == Is::Release   ? (is_one ? "a release" : "releases")
                             : is == Is::Acquire ? (is_one ? "an acquire" : "acquires")
                                                 : (is_one ? "one of device scope" : "those of device scope");
    return fmt::format("{} taken for {}", fmt::join(instructions, " and "), kind);
  }
  std::string advice_for_triton() const {
    return fmt::format("give {} {}", locations(),
                       is == Is::Release   ? "sem=\"release\""
                       : is == Is::Acquire ? "sem=\"acquire\""
                                           : "scope=\"gpu\"");
  }
  std::string advice(std::string_view fence) const {
    if (is == Is::Release) return fmt::format("put {} before {}", fence, locations());
    if (is == Is::Acquire) return fmt::format("put {} after {}", fence, locations());
    return fmt::format("give {} the scope of the device (no _block; .gpu in PTX)", locations());
  }
};

std::vector<Missing> by_kind(const Finding& finding) {
  std::vector<FindingLocation> named{*finding.location, *finding.other_location};
  for (const MissingOrder& it : finding.missing_orders) named.push_back(it.location);
  std::vector<MissingOrder> in_order_of_lines = finding.missing_orders;
  std::ranges::stable_sort(in_order_of_lines, {}, [](const MissingOrder& it) {
    return std::tie(it.location.file, it.location.line, it.location.ptx_line);
  });
  std::vector<Missing> out;
  for (const Is is : {Is::OfDevice, Is::Release, Is::Acquire}) {
    Missing one{is, {}, {}};
    for (const MissingOrder& it : in_order_of_lines) {
      if (it.is != is) continue;
      one.where.push_back(location_text(it.location, named));
      one.instructions.push_back(fmt::format("{} (PTX line {})", it.location.instruction, it.location.ptx_line));
    }
    if (!one.where.empty()) out.push_back(std::move(one));
  }
  return out;
}

// ", or use cuda::atomic_ref with memory_order_release"; empty where scopes alone are to blame.
std::string memory_orders(const std::vector<Missing>& all) {
  std::vector<std::string_view> orders;
  for (const Missing& it : all) {
    if (it.is == Is::Release) orders.push_back("memory_order_release");
    if (it.is == Is::Acquire) orders.push_back("memory_order_acquire");
  }
  return orders.empty() ? "" : fmt::format(", or use cuda::atomic_ref with {}", fmt::join(orders, " and "));
}

}  // namespace

std::optional<Cause> missing_fence(const Finding& finding, const Scene&) {
  if (finding.missing_orders.empty() || !finding.location || !finding.other_location) return std::nullopt;
  const FindingLocation &later = *finding.location, &earlier = *finding.other_location;
  const std::vector<Missing> all = by_kind(finding);
  // Others may race here who are in different blocks: in global memory a fence of the device does for all of them.
  const char* const fence = finding.rule == Rule::SharedRace ? "__threadfence_block()" : "__threadfence()";
  const bool is_triton = later.file.ends_with(".py");
  std::vector<std::string> texts, taken, advice;
  for (const Missing& it : all) {
    texts.push_back(it.text());
    taken.push_back(it.taken_for());
    advice.push_back(is_triton ? it.advice_for_triton() : it.advice(fence));
  }
  const std::string orders = memory_orders(all);
  Cause cause;
  cause.id = orders.empty() ? "scope-too-narrow" : "missing-fence";
  cause.text = fmt::format("what {} {} {} at {}, and nothing orders that: {}", location_text(earlier, later),
                           does(earlier.instruction, finding.rule), is_done_to(later.instruction, finding.rule),
                           location_text(later, earlier), fmt::join(texts, ", and "));
  cause.evidence = {
      fmt::format("with {}, nothing races there in any schedule that was tried", fmt::join(taken, " and "))};
  cause.advice = fmt::format("{}{}", fmt::join(advice, ", and "), is_triton ? "" : orders);
  return cause;
}

}  // namespace ropewalk::diagnose
