#include "lib/base/shape.h"

#include <algorithm>
#include <cstdlib>

namespace ropewalk {
namespace {

i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0

// Dimensions by falling stride; those that cannot move an offset (stride 0) are left out.
std::vector<size_t> by_stride(const Strides& strides) {
  std::vector<size_t> order;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] > 0) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  return order;
}

// Looks for an index inside the shape with exactly this offset. Only strides that interleave (a window that slides by
// less than its width) have more than one candidate a dimension; `steps` bounds the search there.
bool find_exact(const Shape& shape, const Strides& strides, const std::vector<size_t>& order, size_t level, i64 offset,
                int& steps, std::vector<i64>& index) {
  if (level == order.size()) return offset == 0;
  i64 reach = 0;  // what the dimensions below this one can add
  for (size_t i = level + 1; i < order.size(); ++i) reach += (shape[order[i]] - 1) * strides[order[i]];
  const size_t d = order[level];
  const i64 high = std::min(offset / strides[d], shape[d] - 1);
  for (i64 n = high; n >= 0 && offset - n * strides[d] <= reach; --n) {
    if (--steps < 0) return false;
    index[d] = n;
    if (find_exact(shape, strides, order, level + 1, offset - n * strides[d], steps, index)) return true;
  }
  index[d] = 0;
  return false;
}

}  // namespace

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.size());
  i64 stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<i64>(shape[d], 1);
  }
  return strides;
}

i64 element_count(const Shape& shape) {
  i64 count = 1;
  for (i64 extent : shape) count *= extent;
  return count;
}

std::optional<i64> checked_element_count(const Shape& shape) {
  i64 count = 1;
  bool empty = false;
  for (const i64 extent : shape) {
    if (extent < 0) return std::nullopt;
    empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

i64 element_span(const Shape& shape, const Strides& strides) {
  i64 last = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return 0;
    last += (shape[d] - 1) * std::abs(strides[d]);
  }
  return last + 1;
}

std::optional<i64> checked_element_span(const Shape& shape, const Strides& strides) {
  i64 last = 0;
  bool overflow = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0 || strides[d] < 0) return std::nullopt;
    if (shape[d] == 0) return 0;
    i64 reach = 0;
    overflow |= __builtin_mul_overflow(shape[d] - 1, strides[d], &reach);
    overflow |= __builtin_add_overflow(last, reach, &last);
  }
  if (overflow || last == INT64_MAX) return std::nullopt;
  return last + 1;
}

i64 offset_of(const Strides& strides, const std::vector<i64>& index) {
  i64 offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += strides[d] * index[d];
  return offset;
}

std::vector<i64> index_of(const Shape& shape, i64 n) {
  std::vector<i64> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const i64 extent = std::max<i64>(shape[d], 1);
    index[d] = d == 0 ? n : n % extent;
    n /= extent;
  }
  return index;
}

std::vector<i64> index_at_offset(const Shape& shape, const Strides& strides, i64 offset, bool* inside) {
  const bool empty = std::any_of(shape.begin(), shape.end(), [](i64 extent) { return extent == 0; });
  const std::vector<size_t> order = by_stride(strides);
  std::vector<i64> index(shape.size(), 0);
  int steps = 4096;
  *inside = !empty && offset >= 0 && find_exact(shape, strides, order, 0, offset, steps, index);
  if (*inside) return index;
  // In a gap or outside: each dimension takes what it can; the outermost one may leave its extent.
  std::fill(index.begin(), index.end(), 0);
  i64 rest = offset;
  for (size_t level = 0; level < order.size(); ++level) {
    const size_t d = order[level];
    index[d] = floor_divide(rest, strides[d]);
    if (level > 0) index[d] = std::clamp<i64>(index[d], 0, std::max<i64>(shape[d] - 1, 0));
    rest -= index[d] * strides[d];
  }
  return index;
}

std::string text_of(const std::vector<i64>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

}  // namespace ropewalk
