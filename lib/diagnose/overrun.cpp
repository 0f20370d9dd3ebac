#include "lib/diagnose/overrun.h"

#include <algorithm>
#include <limits>

namespace ropewalk {
namespace {

constexpr i64 no_end = std::numeric_limits<i64>::max();

// Tokens of a sequence for which the tables have rows.
i64 tokens_in_tables(const RotaryProblem* problem, i64 sequence) {
  return problem ? problem->table_rows() - problem->offset_of_sequence(sequence) : no_end;
}

// The last columns of a row that the kernel leaves alone, as numbers that are possible.
std::vector<i64> untouched_columns(const LaunchTensor& tensor, const RotaryProblem* problem) {
  if (!problem || is_table(tensor) || tensor.shape.size() < 2 || problem->width() >= tensor.shape.back()) return {0};
  return {0, tensor.shape.back() - problem->width()};
}

bool fits(i64 found, i64 predicted, bool complete) {
  return found > 0 && (found == predicted || (!complete && found < predicted));
}

// Sequences of their own lengths, each cut into the tiles of the longest.
std::optional<RowOverrun> varlen_overrun(const LaunchTensor& tensor, const Outside& outside, const Scene& scene,
                                         const std::vector<i64>& bounds) {
  const u64 dimension = tensor.shape.size() <= 3 ? 0 : tensor.shape.size() - 3;
  const i64 rows = tensor.shape[dimension], stride = tensor.strides[dimension];
  if (stride < 1) return std::nullopt;
  const RotaryProblem* problem = rotary_problem(scene);
  const i64 longest = longest_sequence(bounds);
  for (const i64 size : {i64(scene.launch.block.y), i64(scene.launch.block.x)}) {
    if (size < 2 || longest < 1) continue;
    const i64 padded = (longest + size - 1) / size * size;
    i64 last = 0;
    for (u64 n = 0; n + 1 < bounds.size(); ++n) {
      last = std::max(last, bounds[n] + std::min(padded, tokens_in_tables(problem, i64(n))));
    }
    for (const i64 untouched : untouched_columns(tensor, problem)) {
      const i64 reach = outside.reach() + untouched;
      if (reach % stride || !fits(reach / stride, last - rows, outside.complete)) continue;
      const Tile tile{size, padded, -1, true, "tiles of " + std::to_string(size)};
      return RowOverrun{dimension, rows, reach / stride, stride, tile, false, false, longest};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<RowOverrun> row_overrun(const LaunchTensor& tensor, const Outside& outside, const Scene& scene) {
  if (!outside.only_past() || tensor.shape.empty()) return std::nullopt;
  const RotaryProblem* problem = is_table(tensor) ? nullptr : rotary_problem(scene);
  const Integers bounds = sequence_bounds(scene);
  if (!bounds.values.empty() && !is_table(tensor) && tensor.shape.size() >= 2) {
    return varlen_overrun(tensor, outside, scene, bounds.values);
  }
  const bool rotary = is_rotary(scene);
  const u64 row_dimensions = std::max<u64>(tensor.shape.size() - 1, 1);  // an array of one dimension has rows of one
  std::optional<RowOverrun> by_power_of_two;
  for (u64 dimension = 0; dimension < row_dimensions; ++dimension) {
    const i64 extent = tensor.shape[dimension], stride = tensor.strides[dimension];
    if (stride < 1) continue;
    const bool tokens = problem && dimension + 3 == tensor.shape.size() && extent == problem->tokens;
    const i64 end = tokens ? tokens_in_tables(problem, problem->batch - 1) : no_end;
    for (const i64 untouched : untouched_columns(tensor, problem)) {
      const i64 reach = outside.reach() + untouched;
      if (reach % stride) continue;
      const i64 rows = reach / stride;
      for (const Tile& tile : tiles_of(extent, scene.launch)) {
        const RowOverrun overrun{dimension,         extent, rows, stride, tile, !rotary && extent % rows == 0,
                                 end < tile.padded, 0};
        if (tile.of_launch && fits(rows, std::min(tile.padded, end) - extent, outside.complete)) return overrun;
        // A power of two is a guess: one row too many, which every odd extent would explain, is not enough for it.
        if (!by_power_of_two && !overrun.maybe_a_step && rows >= 2 && rows == tile.padded - extent)
          by_power_of_two = overrun;
      }
    }
  }
  return by_power_of_two;
}

std::optional<ColumnOverrun> column_overrun(const LaunchTensor& tensor, const Outside& outside, const Scene& scene) {
  if (!outside.only_past() || tensor.shape.size() < 2) return std::nullopt;
  const i64 columns = tensor.shape.back();
  const RotaryProblem* problem = rotary_problem(scene);
  const std::vector<RotaryWidth> widths = is_table(tensor) ? std::vector<RotaryWidth>{} : possible_widths(scene);
  if (!widths.empty()) {
    const i64 pairs = widths.front().columns / 2;
    for (const Tile& tile : padded_columns(pairs, scene.launch)) {
      const bool may_be_half = !problem || problem->layout == RotaryLayout::Half;
      const bool may_be_interleaved = !problem || problem->layout == RotaryLayout::Interleaved;
      for (const i64 last : {may_be_half ? pairs + tile.padded : 0, may_be_interleaved ? 2 * tile.padded : 0}) {
        if (fits(outside.reach(), last - columns, outside.complete))
          return ColumnOverrun{pairs, last - columns, true, tile, false};
      }
    }
    if (problem) return std::nullopt;
  }
  for (const Tile& tile : padded_columns(columns, scene.launch)) {
    const i64 behind = tile.padded - columns;
    if (fits(outside.reach(), behind, outside.complete)) {
      return ColumnOverrun{columns, behind, false, tile, !is_rotary(scene) && columns % behind == 0};
    }
  }
  return std::nullopt;
}

}  // namespace ropewalk
