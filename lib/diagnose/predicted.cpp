#include "lib/diagnose/predicted.h"

#include <algorithm>
#include <iterator>

#include "lib/diagnose/touched.h"

namespace ropewalk::diagnose {
namespace {

// By element whether it is in a region; all are of a tensor that has none.
std::vector<bool> own_elements(const LaunchTensor& tensor) {
  const i64 count = element_count(tensor.shape), columns = tensor.shape.back();
  std::vector<bool> own(u64(count), tensor.regions.empty());
  for (const Region& region : tensor.regions) {
    for (i64 row = std::max<i64>(region.first_row, 0); row < std::min(region.last_row, count / columns); ++row) {
      std::fill(own.begin() + row * columns + region.first_column,
                own.begin() + row * columns + std::min(region.last_column, columns), true);
    }
  }
  return own;
}

}  // namespace

FootprintElements::FootprintElements(const LaunchTensor& tensor)
    : tensor_(tensor), dense_(contiguous_strides(tensor.shape)), span_(element_span(tensor.shape, tensor.strides)) {}

i64 FootprintElements::at(i64 offset, bool* inside) const {
  *inside = offset >= 0 && offset < span_;
  if (dense_ == tensor_.strides || offset < 0) return offset;
  return offset_of(dense_, index_at_offset(tensor_.shape, tensor_.strides, offset, inside));
}

Prediction predict(const LaunchTensor& tensor, std::vector<i64> offsets) {
  Prediction out;
  const std::vector<bool> own = own_elements(tensor);
  const FootprintElements elements(tensor);
  std::vector<bool> touched(own.size(), false);
  sort_unique(offsets);
  for (const i64 offset : offsets) {
    bool inside = false;
    const i64 element = elements.at(offset, &inside);
    if (inside) touched[u64(element)] = true;
    if (!inside || !own[u64(element)]) out.strays.push_back(element);
  }
  sort_unique(out.strays);
  for (u64 n = 0; n < own.size(); ++n) {
    if (own[n] && !touched[n]) out.untouched.push_back(i64(n));
  }
  out.offsets = std::move(offsets);
  return out;
}

Prediction predict(const LaunchTensor& tensor, const Walk& walk) {
  std::vector<i64> offsets;
  const i64 columns = walk.shape.back();
  const i64 rows = element_count(walk.shape) / columns, rows_of_first = rows / walk.shape[0];
  const auto touch_row = [&](i64 row) {
    const i64 whole = row < 0 ? (row + 1) / rows_of_first - 1 : 0;  // of the first dimension, before the start
    const i64 inside_row = row - whole * rows_of_first;
    const i64 start = whole * walk.strides[0] + offset_of(walk.strides, index_of(walk.shape, inside_row * columns));
    for (i64 column = walk.first_column; column < walk.last_column; ++column)
      offsets.push_back(start + column * walk.strides.back());
  };
  if (walk.rows.empty()) {
    for (i64 row = 0; row < rows; ++row) touch_row(row);
  }
  for (const i64 row : walk.rows) {
    if ((row >= 0 || walk.before) && row < rows) touch_row(row);
  }
  Prediction out = predict(tensor, std::move(offsets));
  std::erase_if(out.untouched, [&](i64 n) {
    const i64 column = n % tensor.shape.back();
    return column < walk.first_column || column >= walk.last_column;
  });
  return out;
}

bool is_stray(const Finding& finding) {
  return is_out_of_bounds(finding) || (finding.rule == Rule::IndexOutOfField && !broken_statement(finding));
}

Seen seen_of(const LaunchTensor& tensor, const Scene& scene) {
  Seen seen;
  seen.complete = scene.launch.blocks.count == 0;
  for (const Finding& finding : scene.findings) {
    if (tensor_of(finding, scene) != &tensor) continue;
    const auto& elements = finding.footprint.elements;
    if (is_stray(finding)) {
      if (finding.access->byte_offset && *finding.access->byte_offset % size_of(tensor.dtype) == 0)
        seen.offsets.push_back(*finding.access->byte_offset / size_of(tensor.dtype));
      // A wide access at the end of a tensor without gaps has elements inside as well.
      const bool only_outside = is_out_of_bounds(finding) && is_dense(tensor);
      std::copy_if(elements.begin(), elements.end(), std::back_inserter(seen.strays),
                   [&](i64 n) { return !only_outside || n < 0 || n >= element_count(tensor.shape); });
    } else if (finding.rule == Rule::OutputNotWritten) {
      seen.unwritten = elements;
    } else {
      continue;
    }
    seen.complete &= finding.footprint.complete && !elements.empty();
  }
  sort_unique(seen.strays);
  sort_unique(seen.offsets);
  return seen;
}

bool explains(const Prediction& prediction, const Seen& seen) {
  if (seen.strays.empty() || prediction.strays.empty()) return false;
  if (seen.complete && seen.strays != prediction.strays) return false;
  if (seen.complete && !seen.unwritten.empty() && seen.unwritten != prediction.untouched) return false;
  const auto predicted = [](const std::vector<i64>& all, const std::vector<i64>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  return predicted(prediction.strays, seen.strays) && predicted(prediction.untouched, seen.unwritten) &&
         predicted(prediction.offsets, seen.offsets);
}

}  // namespace ropewalk::diagnose
