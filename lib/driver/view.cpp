#include "lib/driver/view.h"

#include <algorithm>

namespace ropewalk::driver {

namespace {

void reshape(LaunchTensor& tensor, Dtype dtype, Shape shape) {
  tensor.dtype = dtype;
  tensor.strides = contiguous_strides(shape);
  tensor.shape = std::move(shape);
}

bool is_all_of(const TensorView& view, const Allocation& at) {
  return view.address == at.address && view.strides == contiguous_strides(view.shape) &&
         u64(element_count(view.shape)) * size_of(view.dtype) == at.bytes;
}

// Whether several indices lead to one element. What a kernel may touch around it is not known then: programs set a
// stride to 0 to give the kernel the start of each row, and the kernel has columns of its own.
bool repeats_elements(const TensorView& view) {
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] > 1 && view.strides[d] == 0) return true;
  }
  return false;
}

// Rows of elements that follow each other, every `pitch` elements; 0 columns: it is no such thing.
struct Rows {
  i64 count = 1, columns = 0, pitch = 0;
};

Rows rows_of(const TensorView& view) {
  const std::size_t n = view.shape.size();
  if (n < 2 || view.strides[n - 1] != 1 || view.strides[n - 2] < view.shape[n - 1]) return {};
  Rows out{view.shape[n - 2], view.shape[n - 1], view.strides[n - 2]};
  for (std::size_t d = n - 2; d-- > 0;) {
    if (view.shape[d] != 1 && view.strides[d] != out.pitch * out.count) return {};
    out.count *= view.shape[d];
  }
  return out;
}

// A view of columns becomes the columns of a matrix, which is the whole memory.
bool show_columns(LaunchTensor& tensor, const Allocation& at, const TensorView& view, const std::string& name) {
  const Rows rows = rows_of(view);
  const u64 size = size_of(view.dtype), row_bytes = u64(rows.pitch) * size;
  if (!rows.columns || rows.columns == rows.pitch || at.bytes % row_bytes) return false;
  const i64 first = i64((view.address - at.address) / size);
  const i64 row = first / rows.pitch, column = first % rows.pitch;
  if (column + rows.columns > rows.pitch) return false;
  reshape(tensor, view.dtype, {i64(at.bytes / row_bytes), rows.pitch});
  tensor.regions = {{name, row, row + rows.count, column, column + rows.columns}};
  return true;
}

}  // namespace

std::vector<i32> show_views(LaunchTensor& tensor, const Allocation& at, std::span<const TensorView* const> views,
                            const std::vector<std::string>& names) {
  std::vector<i32> regions(views.size(), -1);
  const auto is_all = std::ranges::find_if(views, [&](const TensorView* view) { return is_all_of(*view, at); });
  if (is_all != views.end()) {
    reshape(tensor, (*is_all)->dtype, (*is_all)->shape);
    return regions;
  }
  const TensorView& first = *views[0];
  const auto fits = [&](const TensorView* view) {
    return view->dtype == first.dtype && (view->address - at.address) % size_of(first.dtype) == 0;
  };
  if (!std::ranges::all_of(views, fits) || at.bytes % size_of(first.dtype)) return regions;
  if (views.size() == 1 && show_columns(tensor, at, first, names[0])) return {0};
  const i64 elements = i64(at.bytes / size_of(first.dtype));
  reshape(tensor, first.dtype, {elements});
  for (std::size_t n = 0; n < views.size(); ++n) {
    const i64 from = i64((views[n]->address - at.address) / size_of(first.dtype));
    const i64 to = from + element_span(views[n]->shape, views[n]->strides);
    if (from == to || to > elements || repeats_elements(*views[n])) continue;
    regions[n] = i32(tensor.regions.size());
    tensor.regions.push_back({names[n], 0, 1, from, to});
  }
  // What has no region may touch all of it.
  if (std::ranges::find(regions, -1) == regions.end()) return regions;
  tensor.regions.clear();
  return std::vector<i32>(views.size(), -1);
}

}  // namespace ropewalk::driver
