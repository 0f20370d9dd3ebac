#include "lib/rope/row_axis.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace ropewalk::rope {
namespace {

constexpr i64 fewest_positions = 8;  // along an axis, to see how its values move
constexpr i64 most_positions = 24;   // that are looked at in one line
constexpr i64 most_lines = 512;
constexpr double much_better = 0.25;  // of the lines

std::vector<size_t> same_order(size_t axes) {
  std::vector<size_t> order(axes);
  std::iota(order.begin(), order.end(), size_t(0));
  return order;
}

// Elements from one index of each axis to the next.
std::vector<i64> strides_of(const Shape& shape) {
  std::vector<i64> strides(shape.size(), 1);
  for (size_t n = shape.size(); n-- > 1;) strides[n - 1] = strides[n] * shape[n];
  return strides;
}

double value_at(const DumpTensor& tensor, i64 element) {
  const Dtype dtype = tensor.dtype == Dtype::C64 ? Dtype::F32 : tensor.dtype;
  return load_as_double(tensor.data.data() + element * i64(size_of(tensor.dtype)), dtype);
}

// Neighbours in one line of an axis.
struct Line {
  std::vector<double> values;

  double largest() const {
    double most = 0;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
  }
  // Whether it says how values move: all are numbers, and they are not one number.
  bool tells() const {
    if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return false;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *high - *low > 0.1 * largest();
  }
  // Whether it moves as cos and sin of equal steps do.
  bool turns() const {
    double over = 0, under = 0;
    for (size_t n = 1; n + 1 < values.size(); ++n) {
      over += (values[n - 1] + values[n + 1]) * values[n];
      under += values[n] * values[n];
    }
    if (!(under > 0)) return false;
    const double k = over / under, allowed = 0.02 * largest();
    i64 good = 0;
    for (size_t n = 1; n + 1 < values.size(); ++n)
      good += std::abs(values[n - 1] + values[n + 1] - k * values[n]) <= allowed;
    return std::abs(k) < 2.05 && good * 10 >= i64(values.size() - 2) * 9;
  }
};

// The part of the lines along an axis that move as cos and sin do, of those that tell; 0 where nothing tells.
double share_of_turning_lines(const DumpTensor& tensor, size_t axis) {
  const i64 extent = tensor.shape[axis], lines = element_count(tensor.shape) / std::max<i64>(extent, 1);
  if (extent < fewest_positions) return 0;
  const i64 stride = strides_of(tensor.shape)[axis], length = std::min(extent, most_positions);
  i64 telling = 0, turning = 0;
  const i64 looked_at = std::min(lines, most_lines);
  for (i64 n = 0; n < looked_at; ++n) {
    // Spread over all lines, and not in step with the other axes.
    const i64 number = lines <= most_lines ? n : (n * 2654435761 + n * n) % lines;
    const i64 first = extent == length ? 0 : n * 37 % (extent - length + 1);
    const i64 start = number / stride * stride * extent + number % stride + first * stride;
    Line line;
    for (i64 step = 0; step < length; ++step) line.values.push_back(value_at(tensor, start + step * stride));
    if (!line.tells()) continue;
    ++telling;
    turning += line.turns();
  }
  return telling >= 4 ? double(turning) / double(telling) : 0;
}

// Whether so many columns may be those of a table, as far as is known.
bool may_be_columns(i64 extent, bool complex, const TableHints& hints) {
  if (hints.pairs.empty()) return true;
  if (complex) return hints.may_have(extent);
  return hints.may_have(extent) || hints.may_be_doubled(extent) || (extent % 4 == 0 && hints.may_have(extent / 4));
}

}  // namespace

std::vector<size_t> axes_of_tables(const DumpTensor& tensor, size_t inner, const TableHints& hints) {
  std::vector<size_t> order = same_order(tensor.shape.size());
  std::vector<size_t> outer;  // axes of other extents than 1, without those of one row
  for (size_t n = 0; n + inner < tensor.shape.size(); ++n) {
    if (tensor.shape[n] != 1) outer.push_back(n);
  }
  if (outer.empty()) return order;
  const size_t last = order.size() - 1, usual = outer.back();
  const bool complex = tensor.dtype == Dtype::C64;
  std::vector<size_t> others(outer.begin(), outer.end() - 1);
  // Columns that may be columns are.
  const bool may_be_exchanged = inner == 1 && may_be_columns(tensor.shape[usual], complex, hints) &&
                                (hints.pairs.empty() || !may_be_columns(tensor.shape[last], complex, hints));
  if (may_be_exchanged) others.push_back(last);
  if (others.empty()) return order;
  double most = share_of_turning_lines(tensor, usual) + much_better;
  size_t best = usual;
  for (const size_t axis : others) {
    const double share = share_of_turning_lines(tensor, axis);
    if (share < 0.9 || share < most) continue;
    most = share;
    best = axis;
  }
  if (best == usual) return order;
  if (best == last) {
    std::swap(order[usual], order[last]);
    return order;
  }
  order.erase(order.begin() + i64(best));
  order.insert(order.begin() + i64(usual), best);
  return order;
}

Shape shape_in_order(const Shape& shape, const std::vector<size_t>& order) {
  Shape out;
  for (const size_t axis : order) out.push_back(shape[axis]);
  return out;
}

std::vector<std::byte> with_axes_moved(const DumpTensor& tensor, const std::vector<size_t>& order) {
  const std::vector<i64> strides = strides_of(tensor.shape);
  const Shape shape = shape_in_order(tensor.shape, order);
  const size_t size = size_of(tensor.dtype);
  std::vector<std::byte> out(tensor.data.size());
  std::vector<i64> index(order.size(), 0);
  i64 from = 0;
  for (std::byte* to = out.data(); to < out.data() + out.size(); to += size) {
    std::memcpy(to, tensor.data.data() + size_t(from) * size, size);
    for (size_t n = order.size(); n-- > 0;) {
      from += strides[order[n]];
      if (++index[n] < shape[n]) break;
      from -= strides[order[n]] * shape[n];
      index[n] = 0;
    }
  }
  return out;
}

}  // namespace ropewalk::rope
