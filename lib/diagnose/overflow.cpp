#include "lib/diagnose/overflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"

namespace ropewalk::diagnose {
namespace {

constexpr i64 wrap = i64(1) << 32;
constexpr i64 far_before = i64(1) << 24;  // elements; a small negative index needs no overflow

// The value of an index-overflow finding, which says it in its message.
std::optional<i64> exact_value(const Finding& finding) {
  if (finding.rule != Rule::IndexOverflow) return std::nullopt;
  constexpr std::string_view before = "overflows: ";
  const auto at = finding.message.find(before);
  long long value = 0;
  if (at == std::string::npos) return std::nullopt;
  if (std::sscanf(finding.message.c_str() + at + before.size(), "%lld does not fit", &value) != 1) return std::nullopt;
  return value;
}

std::string size_text(const LaunchTensor& tensor) {
  return fmt::format("{} has {} elements, {} the {} that 32-bit integers count", tensor.name,
                     element_span(tensor.shape, tensor.strides),
                     element_span(tensor.shape, tensor.strides) > i64(INT32_MAX) + 1 ? "more than" : "no more than",
                     i64(INT32_MAX) + 1);
}

// Where everything that was touched before the start would lie had nothing wrapped; empty: not in the tensor.
std::string unwrapped_element(const LaunchTensor& tensor, const Finding& finding, const Scene& scene) {
  const Outside outside = outside_of(tensor, finding, scene.launch);
  if (!outside.only_before() || outside.before.front() < far_before) return "";
  const i64 span = element_span(tensor.shape, tensor.strides), bytes = size_of(tensor.dtype);
  for (const i64 shift : {wrap, wrap / bytes}) {
    const auto lands = [&](i64 before) { return shift - before >= 0 && shift - before < span; };
    if (!std::all_of(outside.before.begin(), outside.before.end(), lands)) continue;
    return fmt::format("{} elements before the start of {} + 2^32 {} = element {}, which is in the tensor",
                       outside.before.back(), tensor.name, shift == wrap ? "elements" : "bytes",
                       shift - outside.before.back());
  }
  return "";
}

}  // namespace

std::optional<Cause> int32_overflow(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  Cause cause;
  cause.id = "int32-overflow";
  cause.advice =
      "widen one factor before the multiplication (int64_t in CUDA, .to(tl.int64) in Triton), not its result";
  if (const auto exact = exact_value(finding)) {
    const bool is_unsigned = finding.message.find("does not fit without a sign") != std::string::npos;
    const u32 low = u32(u64(*exact));
    const i64 wrapped = is_unsigned ? i64(low) : i64(i32(low)), largest = is_unsigned ? i64(UINT32_MAX) : INT32_MAX;
    if (wrapped == *exact) return std::nullopt;
    cause.text = fmt::format("an index of {} was computed with 32 bits and became {}", *exact, wrapped);
    cause.evidence = {fmt::format("exact value {}, largest {} {}, difference {}", *exact,
                                  is_unsigned ? "uint32" : "int32", largest, *exact - largest)};
    if (tensor) cause.evidence.push_back(size_text(*tensor));
    return cause;
  }
  if (!tensor || !is_out_of_bounds(finding)) return std::nullopt;
  // A sequence that starts before the tensor lies so far before it too, where rows are far apart.
  const std::vector<i64> starts = sequence_bounds(scene, tensor).values;
  if (std::ranges::any_of(starts, [](i64 start) { return start < 0; })) return std::nullopt;
  const std::string unwrapped = unwrapped_element(*tensor, finding, scene);
  if (unwrapped.empty()) return std::nullopt;
  cause.text = fmt::format("the index of {} was computed with 32 bits and wrapped to a negative one", tensor->name);
  cause.evidence = {unwrapped, size_text(*tensor)};
  return cause;
}

}  // namespace ropewalk::diagnose
