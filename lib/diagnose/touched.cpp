#include "lib/diagnose/touched.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ropewalk::diagnose {
namespace {

i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0

// A footprint counts elements row-major, without the gaps that the storage has.
i64 storage_offset(const LaunchTensor& tensor, i64 element) {
  if (element < 0 || is_dense(tensor)) return element;
  return offset_of(tensor.strides, index_of(tensor.shape, element));
}

}  // namespace

void sort_unique(std::vector<i64>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool is_out_of_bounds(const Finding& finding) {
  return finding.rule == Rule::OutOfBoundsRead || finding.rule == Rule::OutOfBoundsWrite;
}

bool straddles_the_end(const Finding& finding, const LaunchTensor& tensor) {
  if (!finding.access || !finding.access->byte_offset) return false;
  const i64 first = *finding.access->byte_offset, last = first + i64(finding.access->bytes);
  return first < i64(tensor.bytes()) && last > i64(tensor.bytes());
}

const LaunchTensor* tensor_of(const Finding& finding, const Scene& scene) {
  if (!finding.access || finding.access->tensor.empty()) return nullptr;
  const i64 n = scene.launch.tensor_named(finding.access->tensor);
  return n < 0 ? nullptr : &scene.launch.tensors[u64(n)];
}

bool is_dense(const LaunchTensor& tensor) { return tensor.strides == contiguous_strides(tensor.shape); }

Outside outside_of(const LaunchTensor& tensor, const Finding& finding, const Launch& launch) {
  Outside outside;
  outside.complete = finding.footprint.complete && launch.blocks.count == 0;
  outside.exact = is_dense(tensor);
  const i64 span = element_span(tensor.shape, tensor.strides);
  const auto add = [&](i64 offset) {
    if (offset >= span) outside.past.push_back(offset - span);
    if (offset < 0) outside.before.push_back(-offset);
  };
  for (const i64 element : finding.footprint.elements) add(storage_offset(tensor, element));
  if (finding.footprint.elements.empty() && finding.access && finding.access->byte_offset) {
    outside.complete = false;
    add(floor_divide(*finding.access->byte_offset, size_of(tensor.dtype)));
  }
  sort_unique(outside.past);
  sort_unique(outside.before);
  return outside;
}

Outside outside_of(const LaunchTensor& tensor, const Scene& scene) {
  Outside all;
  for (const Finding& finding : scene.findings) {
    if (!is_out_of_bounds(finding) || tensor_of(finding, scene) != &tensor) continue;
    const Outside one = outside_of(tensor, finding, scene.launch);
    all.past.insert(all.past.end(), one.past.begin(), one.past.end());
    all.before.insert(all.before.end(), one.before.begin(), one.before.end());
    all.complete &= one.complete;
    all.exact &= one.exact;
  }
  sort_unique(all.past);
  sort_unique(all.before);
  return all;
}

std::string reach_text(const LaunchTensor& tensor, const Outside& outside) {
  return fmt::format("{} is touched up to {} element{} past its end", tensor.name, outside.reach(),
                     outside.reach() == 1 ? "" : "s");
}

std::vector<i64> rows_of(const Outside& outside, const LaunchTensor& tensor) {
  const i64 columns = tensor.shape.empty() ? 1 : std::max<i64>(tensor.shape.back(), 1);
  const i64 rows_inside = element_count(tensor.shape) / columns;
  std::vector<i64> rows;
  for (const i64 before : outside.before) rows.push_back(floor_divide(-before, columns));
  for (const i64 past : outside.past) rows.push_back(rows_inside + past / columns);
  sort_unique(rows);
  return rows;
}

std::optional<BrokenStatement> broken_statement(const Finding& finding) {
  if (finding.rule != Rule::IndexOutOfField || !finding.access) return std::nullopt;
  const std::string& name = finding.access->region;
  const auto dot = name.rfind('.');
  const auto at = finding.message.rfind(name + " is ");
  if (name.empty() || dot == std::string::npos || at == std::string::npos) return std::nullopt;
  long long value = 0, bound = 0;
  const char* const figures = finding.message.c_str() + at + name.size();
  if (std::sscanf(figures, " is %lld, not in [0, %lld)", &value, &bound) != 2) return std::nullopt;
  return BrokenStatement{name.substr(0, dot), name.substr(dot + 1), value, bound};
}

}  // namespace ropewalk::diagnose
