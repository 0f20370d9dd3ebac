#include "lib/rope/given_positions.h"

#include <algorithm>
#include <string_view>

namespace ropewalk::rope {
namespace {

bool names_positions(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);  // of npos + 1: nothing
  for (const std::string_view known :
       {"positions", "position", "position_ids", "position_id", "pos_ids", "pos", "cache_position", "cache_positions",
        "input_positions", "input_pos", "image_position_ids", "pixel_position_ids"}) {
    if (name == known) return true;
  }
  return false;
}

i64 value_at(const DumpTensor& tensor, i64 n) {
  return i64(load_as_double(tensor.data.data() + n * i64(size_of(tensor.dtype)), tensor.dtype));
}

// Whether the parts of the first axis are the same.
bool has_equal_axes(const DumpTensor& tensor, i64 axes) {
  const size_t bytes = tensor.data.size() / size_t(axes);
  for (i64 n = 1; n < axes; ++n) {
    if (!std::ranges::equal(tensor.data.first(bytes), tensor.data.subspan(size_t(n) * bytes, bytes))) return false;
  }
  return true;
}

// The element of the table's first row; -1: the tensor has no positions for it.
i64 first_of(const DumpTensor& tensor, const CacheTable& table) {
  const bool has_axes = tensor.shape.size() > 1 && tensor.shape[0] == 3 && table.of != 3;
  if (has_axes && !has_equal_axes(tensor, 3)) return -1;
  const i64 count = element_count(tensor.shape) / (has_axes ? 3 : 1);
  if (count == table.rows) return 0;
  return count == table.rows * table.of ? table.number * table.rows : -1;
}

PositionRuns runs_in(const DumpTensor& tensor, const CacheTable& table) {
  PositionRuns runs;
  const i64 first = first_of(tensor, table);
  if (first < 0) return runs;
  for (i64 row = 0; row < table.rows; ++row) {
    const i64 position = value_at(tensor, first + row);
    if (position < 0) return {};
    if (!runs.empty() && position == runs.back().first_position + runs.back().rows)
      ++runs.back().rows;
    else
      runs.push_back({row, 1, position});
  }
  return runs;
}

// The cells that a tensor tells; empty: none, or it leaves open which axis is which.
GivenCells cells_in(const DumpTensor& tensor, const CacheTable& table) {
  Shape shape = tensor.shape;
  std::erase(shape, 1);
  // [axes, tables, rows], of a batch.
  const bool of_batch = shape.size() == 3 && table.of > 1 && shape[1] == table.of && shape[2] == table.rows;
  if (of_batch) shape = {shape[0], table.rows};
  if (shape.size() != 2 || (table.of != 1 && !of_batch) || table.rows <= 4) return {};
  const bool axes_first = shape[1] == table.rows;
  i64 axes = shape[axes_first ? 0 : 1], first = 0;
  if (axes_first && axes == 4) {  // transformers puts the positions of the text before those of the three axes
    first = 1;
    axes = 3;
  }
  if (shape[axes_first ? 1 : 0] != table.rows || axes < 2 || axes > 3) return {};
  GivenCells cells(static_cast<size_t>(axes));
  for (i64 axis = 0; axis < axes; ++axis) {
    for (i64 row = 0; row < table.rows; ++row) {
      const i64 by_axis = ((axis + first) * table.of + table.number) * table.rows + row;
      cells[size_t(axis)].push_back(value_at(tensor, axes_first ? by_axis : row * axes + axis));
      if (cells[size_t(axis)].back() < 0) return {};
    }
  }
  return cells;
}

// What the tensors of positions tell by read(tensor, table), where those that tell something agree; else nothing.
template <class Read>
auto agreed(const Dump& dump, const CacheTable& table, const Read& read) {
  decltype(read(dump.integers[0], table)) found;
  for (const DumpTensor& tensor : dump.integers) {
    if (!names_positions(tensor.name)) continue;
    auto told = read(tensor, table);
    if (told.empty()) continue;
    if (!found.empty() && found != told) return decltype(found)();
    found = std::move(told);
  }
  return found;
}

}  // namespace

GivenCells given_cells(const Dump& dump, const CacheTable& table) { return agreed(dump, table, cells_in); }

PositionRuns given_positions(const Dump& dump, const CacheTable& table) {
  PositionRuns found = agreed(dump, table, runs_in);
  if (found.empty() && dump.position_offset > 0) found = positions_from(dump.position_offset, table.rows);
  return found;
}

}  // namespace ropewalk::rope
