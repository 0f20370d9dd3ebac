#include "lib/launch/allowed.h"

#include <algorithm>

#include "lib/base/bits.h"

namespace ropewalk {

void mark_allowed(const LaunchTensor& tensor, const Region* region, u64* bits) {
  const u32 size = size_of(tensor.dtype);
  const i64 count = element_count(tensor.shape);
  if (count == 0) return;
  const i64 columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  const i64 rows = count / columns;
  const i64 first_row = region ? std::max<i64>(0, region->first_row) : 0;
  const i64 last_row = region ? std::min(rows, region->last_row) : rows;
  const i64 first_column = region ? std::max<i64>(0, region->first_column) : 0;
  const i64 last_column = region ? std::min(columns, region->last_column) : columns;
  const i64 column_stride = tensor.strides.empty() ? 1 : tensor.strides.back();
  std::vector<i64> index = index_of(tensor.shape, first_row * columns);
  for (i64 row = first_row; row < last_row; ++row) {
    const i64 start = offset_of(tensor.strides, index);
    for (i64 d = i64(index.size()) - 2; d >= 0 && ++index[u64(d)] == tensor.shape[u64(d)] && d > 0; --d)
      index[u64(d)] = 0;
    if (column_stride == 1) {
      set_bits(bits, u64(start + first_column) * size, u64(start + last_column) * size);
      continue;
    }
    for (i64 column = first_column; column < last_column; ++column) {
      const u64 at = u64(start + column * column_stride) * size;
      set_bits(bits, at, at + size);
    }
  }
}

void mark_allowed(const LaunchTensor& tensor, i32 region, u64* bits) {
  if (region >= 0) return mark_allowed(tensor, &tensor.regions[u32(region)], bits);
  if (tensor.regions.empty()) return mark_allowed(tensor, nullptr, bits);
  for (const Region& region : tensor.regions) mark_allowed(tensor, &region, bits);
}

bool has_forbidden_bytes(const LaunchTensor& tensor) {
  if (!tensor.regions.empty()) return true;
  return tensor.strides != contiguous_strides(tensor.shape) &&
         u64(element_count(tensor.shape)) * size_of(tensor.dtype) != tensor.bytes();
}

i64 start_of(const LaunchTensor& tensor, const Region& region) {
  const i64 columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  const i64 column_stride = tensor.strides.empty() ? 1 : tensor.strides.back();
  return offset_of(tensor.strides, index_of(tensor.shape, region.first_row * columns)) +
         region.first_column * column_stride;
}

}  // namespace ropewalk
