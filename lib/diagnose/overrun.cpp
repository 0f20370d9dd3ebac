#include "lib/diagnose/overrun.h"

#include <algorithm>
#include <limits>

#include "lib/diagnose/kernel_text.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
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

// A tile that may be the one. What is a whole part of the extent may as well be one step of a loop too many: then only
// the thread, or a kernel of which more is known, tells the two apart.
bool may_be(const Tile& tile, i64 extent, i64 behind, const Finding& finding, const Scene& scene) {
  return thread_is_behind(finding, tile, extent).value_or(is_rotary(scene) || extent % behind != 0);
}

// Whether the launch has such tiles in an outermost dimension, where nothing else is known of the kernel. What an
// argument gives as a factor is how far apart the caller wants elements to be, and no tile of the kernel.
bool is_of_launch(const Tile& tile, i64 stride, const Finding& finding, const Scene& scene) {
  return are_of_blocks(tile, finding, scene.launch) && (stride > 1 || !multiplies_by(scene, tile.size));
}

// Another extent of the grid may fit by chance. Where two make the same end of tiles of two sizes, neither is named.
Tile named_where_sure(Tile tile, const std::vector<Tile>& all) {
  const auto is_rival = [&](const Tile& other) {
    return other.of_launch && other.padded == tile.padded && other.size != tile.size;
  };
  if (tile.axis < 0 && std::any_of(all.begin(), all.end(), is_rival)) tile.text.clear();
  return tile;
}

// How many elements of one dimension a thread touches at once.
i64 elements_of_thread(const Finding& finding, const LaunchTensor& tensor) {
  if (tensor.shape.size() != 1 || !finding.access) return 1;
  return std::max<i64>(i64(finding.access->bytes) / size_of(tensor.dtype), 1);
}

// Where the first element of row `extent` of a dimension lies past the end.
i64 first_past(const LaunchTensor& tensor, u64 dimension) {
  i64 offset = tensor.shape[dimension] * tensor.strides[dimension];
  for (u64 d = 0; d < dimension; ++d) offset += (tensor.shape[d] - 1) * tensor.strides[d];
  return offset - element_span(tensor.shape, tensor.strides);
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
      return RowOverrun{dimension, rows, reach / stride, stride, tile, false, longest};
    }
  }
  return std::nullopt;
}

// Whether several blocks touch elements past the end, and none of them all: a block has a tile of its own, so these are
// of several tiles.
bool is_shared_by_blocks(const Finding& finding, const Outside& outside) {
  const Occurrences& seen = finding.occurrences;
  return seen.blocks > 1 && seen.accesses < seen.blocks * outside.past.size();
}

}  // namespace

std::optional<RowOverrun> row_overrun(const LaunchTensor& tensor, const Outside& outside, const Finding& finding,
                                      const Scene& scene) {
  if (!outside.only_past() || tensor.shape.empty()) return std::nullopt;
  const RotaryProblem* problem = is_table(tensor) ? nullptr : rotary_problem(scene);
  const Integers bounds = sequence_bounds(scene);
  if (!bounds.values.empty() && !is_table(tensor) && tensor.shape.size() >= 2) {
    return varlen_overrun(tensor, outside, scene, bounds.values);
  }
  const u64 row_dimensions = std::max<u64>(tensor.shape.size() - 1, 1);  // an array of one dimension has rows of one
  const i64 each = elements_of_thread(finding, tensor);
  std::optional<RowOverrun> guess;
  for (u64 dimension = 0; dimension < row_dimensions; ++dimension) {
    const i64 extent = tensor.shape[dimension], stride = tensor.strides[dimension];
    if (stride < 1 || (outside.complete && outside.past.front() != first_past(tensor, dimension))) continue;
    const bool tokens = problem && dimension + 3 == tensor.shape.size() && extent == problem->tokens;
    const i64 end = tokens ? tokens_in_tables(problem, problem->batch - 1) : no_end;
    for (const i64 untouched : untouched_columns(tensor, problem)) {
      const i64 reach = outside.reach() + untouched, rows = reach / stride;
      if (reach % stride) continue;
      const std::vector<Tile> tiles = tiles_of(extent, scene.launch, each);
      for (const Tile& tile : tiles) {
        if (!may_be(tile, extent, rows, finding, scene)) continue;
        if (!scene.problem && !is_rotary(scene) && dimension == 0 && !is_of_launch(tile, stride, finding, scene))
          continue;
        RowOverrun overrun{dimension, extent, rows, stride, tile, end < tile.padded, 0};
        if (tile.of_launch && fits(rows, std::min(tile.padded, end) - extent, outside.complete)) {
          overrun.tile = named_where_sure(tile, tiles);
          return overrun;
        }
        // A power of two is a guess: one row too many, which every odd extent would explain, is not enough for it.
        const bool is_of_one_block = stride > 1 || !is_shared_by_blocks(finding, outside);
        if (!guess && tile.axis < 0 && rows >= 2 && is_of_one_block && each == 1 && rows == tile.padded - extent)
          guess = overrun;
      }
    }
  }
  return guess;
}

std::optional<ColumnOverrun> column_overrun(const LaunchTensor& tensor, const Outside& outside, const Finding& finding,
                                            const Scene& scene) {
  if (!outside.only_past() || tensor.shape.size() < 2) return std::nullopt;
  const i64 columns = tensor.shape.back();
  const RotaryProblem* problem = rotary_problem(scene);
  const std::vector<RotaryWidth> widths = is_table(tensor) ? std::vector<RotaryWidth>{} : possible_widths(scene);
  const bool touches_several = finding.access && finding.access->bytes > u64(size_of(tensor.dtype));
  const auto try_lanes = [&](i64 lanes, bool pairs) -> std::optional<ColumnOverrun> {
    for (const Tile& tile : padded_columns(lanes, scene.launch)) {
      if (problem && tile.axis < 0) continue;                       // our own kernels have lanes by the block alone
      if (!problem && tile.axis >= 0 && touches_several) continue;  // a thread is no lane of one column
      std::vector<i64> ends{tile.padded};
      if (pairs) ends = {lanes + tile.padded, 2 * tile.padded};
      if (pairs && problem) ends = {problem->layout == RotaryLayout::Half ? ends[0] : ends[1]};
      for (const i64 end : ends) {
        const i64 behind = end - columns;
        if (behind < 1 || !fits(outside.reach(), behind, outside.complete)) continue;
        if (may_be(tile, lanes, pairs ? tile.padded - lanes : behind, finding, scene))
          return ColumnOverrun{lanes, behind, pairs, tile};
      }
    }
    return std::nullopt;
  };
  if (!widths.empty()) {
    auto overrun = try_lanes(widths.front().columns / 2, true);
    if (overrun || problem) return overrun;
  }
  return try_lanes(columns, false);
}

}  // namespace ropewalk::diagnose
