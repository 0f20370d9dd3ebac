#include "lib/diagnose/skipped_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// Rows (all dimensions but the last, flattened) of an output that lack every element.
struct SkippedRows {
  const LaunchTensor* tensor = nullptr;
  i64 first = 0, end = 0;    // rows that were looked at
  std::vector<i64> missing;  // sorted
  bool complete = true;      // false: `end` is where the finding's sample ends
};

// An array of one dimension has rows of one element.
i64 columns_of(const LaunchTensor& tensor) { return tensor.shape.size() < 2 ? 1 : tensor.shape.back(); }

// nullopt where something was written elsewhere, or a row lacks only a part of its elements.
std::optional<SkippedRows> skipped_rows(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::OutputNotWritten || !tensor || tensor->shape.empty()) return std::nullopt;
  for (const Finding& other : scene.findings) {
    const bool stray = is_out_of_bounds(other) || (other.rule == Rule::IndexOutOfField && !broken_statement(other));
    if (stray && tensor_of(other, scene) == tensor) return std::nullopt;
  }
  const i64 columns = columns_of(*tensor);
  if (columns == 0 || tensor->regions.size() > 1) return std::nullopt;
  SkippedRows skipped{tensor, 0, element_count(tensor->shape) / columns, {}, finding.footprint.complete};
  i64 wanted_columns = columns;
  if (!tensor->regions.empty()) {
    const Region& region = tensor->regions.front();
    skipped.first = region.first_row;
    skipped.end = region.last_row;
    wanted_columns = region.last_column - region.first_column;
  }
  const std::vector<i64>& elements = finding.footprint.elements;
  if (elements.empty()) return std::nullopt;
  if (!skipped.complete) skipped.end = elements.back() / columns;  // the sample's last row may be cut
  for (u64 n = 0; n < elements.size();) {
    const i64 row = elements[n] / columns;
    u64 next = n;
    while (next < elements.size() && elements[next] / columns == row) ++next;
    if (row < skipped.end && i64(next - n) != wanted_columns) return std::nullopt;
    if (row < skipped.end) skipped.missing.push_back(row);
    n = next;
  }
  if (skipped.missing.empty()) return std::nullopt;
  return skipped;
}

bool all_missing(const SkippedRows& skipped) { return i64(skipped.missing.size()) == skipped.end - skipped.first; }

// The indices of one dimension whose rows are missing, for all indices of the others alike.
struct SkippedIndices {
  u64 dimension = 0;
  i64 extent = 0;
  std::vector<i64> missing;  // sorted
};

std::optional<SkippedIndices> along_one_dimension(const SkippedRows& skipped) {
  Shape rows = skipped.tensor->shape;
  if (rows.size() >= 2) rows.pop_back();
  const i64 count = element_count(rows);
  if (!skipped.complete || skipped.first != 0 || skipped.end != count) return std::nullopt;
  for (u64 d = 0; d < rows.size(); ++d) {
    std::vector<bool> seen(u64(rows[d]), false);
    for (const i64 row : skipped.missing) seen[u64(index_of(rows, row)[d])] = true;
    SkippedIndices along{d, rows[d], {}};
    for (i64 n = 0; n < rows[d]; ++n) {
      if (seen[u64(n)]) along.missing.push_back(n);
    }
    if (i64(skipped.missing.size()) == i64(along.missing.size()) * (count / rows[d])) return along;
  }
  return std::nullopt;
}

// A tile of which the rows from `from` on are missing, in every tile.
struct LocalPattern {
  i64 tile = 0, from = 0;
};

bool is_extent_of(const Dim3& block, i64 value) { return value == block.x || value == block.y || value == block.z; }

// The tile is one of the launch's, by its extent or by the number of tiles. A block that has no thread for the rows
// that are missing has another cause than a mask.
std::optional<LocalPattern> local_pattern(const SkippedIndices& along, const Launch& launch) {
  const i64 from = along.missing.front();
  if (is_extent_of(launch.block, from)) return std::nullopt;
  for (i64 tile = 2; 2 * tile <= along.extent && tile <= 1024; tile *= 2) {
    const bool of_launch =
        is_extent_of(launch.block, tile) || is_extent_of(launch.grid, (along.extent + tile - 1) / tile);
    if (!of_launch || from < 1 || from >= tile) continue;
    const i64 whole = along.extent / tile * (tile - from), rest = std::max<i64>(along.extent % tile - from, 0);
    const bool all_behind =
        std::all_of(along.missing.begin(), along.missing.end(), [&](i64 n) { return n % tile >= from; });
    if (all_behind && i64(along.missing.size()) == whole + rest) return LocalPattern{tile, from};
  }
  return std::nullopt;
}

// The position of a token (a row of x without its heads); -1 where it belongs to no sequence.
i64 position_of(const RotaryProblem& problem, i64 token) {
  if (!problem.positions.empty()) return token < i64(problem.positions.size()) ? problem.positions[u64(token)] : -1;
  if (!problem.varlen()) return problem.offset_of_sequence(token / problem.tokens) + token % problem.tokens;
  const auto behind = std::upper_bound(problem.cu_seqlens.begin(), problem.cu_seqlens.end(), token);
  if (behind == problem.cu_seqlens.begin() || behind == problem.cu_seqlens.end()) return -1;
  return problem.offset_of_sequence(behind - problem.cu_seqlens.begin() - 1) + token - *(behind - 1);
}

// Whether the missing rows are exactly those of tokens at positions that have no row in cos and sin.
bool at_positions_outside(const SkippedRows& skipped, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  const Shape& shape = skipped.tensor->shape;
  if (!problem || is_table(*skipped.tensor) || shape.size() < 3) return false;
  const i64 heads = shape[shape.size() - 2];
  u64 next = 0;
  for (i64 row = skipped.first; row < skipped.end; ++row) {
    const i64 position = position_of(*problem, row / heads);
    const bool missing = next < skipped.missing.size() && skipped.missing[next] == row;
    if (missing) ++next;
    if (missing != (position < 0 || position >= problem->table_rows())) return false;
  }
  return true;
}

// Where the last tile of a sequence's tokens is not whole, and its count masks every tile of the sequence: the tile, by
// the block's extents. Predicted row by row; 0: it is not so.
i64 tile_of_last_mask(const SkippedRows& skipped, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  const Shape& shape = skipped.tensor->shape;
  const i64 rows = element_count(shape) / columns_of(*skipped.tensor);
  if (!problem || is_table(*skipped.tensor) || shape.size() < 3 || !skipped.complete || skipped.end != rows) return 0;
  const i64 heads = shape[shape.size() - 2];
  const Dim3& block = scene.launch.block;
  for (const i64 tile : {i64(block.x), i64(block.y), i64(block.z)}) {
    std::vector<i64> missing;
    i64 row = 0;
    for (i64 sequence = 0; sequence < problem->sequences(); ++sequence) {
      const i64 tokens = problem->tokens_of_sequence(sequence), of_last = tokens % tile;
      if (problem->varlen()) row = problem->cu_seqlens[u64(sequence)] * heads;
      for (i64 n = 0; n < tokens * heads; ++n, ++row) {
        if (of_last && n / heads % tile >= of_last) missing.push_back(row);
      }
    }
    if (missing == skipped.missing) return tile;
  }
  return 0;
}

std::string count_text(const SkippedRows& skipped) {
  const char* const what = skipped.tensor->shape.size() < 2 ? "element" : "row";
  return fmt::format("{} of {}{} {}s of {} {} never written, the first is {} {}; every other {} {}is complete",
                     skipped.missing.size(), skipped.complete ? "" : "the first ", skipped.end - skipped.first, what,
                     skipped.tensor->name, skipped.missing.size() == 1 ? "is" : "are", what, skipped.missing.front(),
                     what, skipped.complete ? "" : "of these ");
}

// Threads that write the same elements leave others unwritten: that is where indices collide, and no mask or grid.
bool is_raced_for(const LaunchTensor& tensor, const Scene& scene) {
  return std::ranges::any_of(scene.findings, [&](const Finding& finding) {
    return finding.rule == Rule::GlobalRace && tensor_of(finding, scene) == &tensor;
  });
}

}  // namespace

std::optional<Cause> rows_skipped(const Finding& finding, const Scene& scene) {
  const auto skipped = skipped_rows(finding, scene);
  if (!skipped) return std::nullopt;
  Cause cause;
  cause.id = "rows-skipped";
  cause.evidence = {count_text(*skipped)};
  if (at_positions_outside(*skipped, scene)) {
    const RotaryProblem& problem = *rotary_problem(scene);
    cause.text =
        fmt::format("rows at positions outside of the {} rows of cos and sin are left out, and keep what was in {}",
                    problem.table_rows(), skipped->tensor->name);
    cause.evidence.push_back(
        fmt::format("they are exactly the rows whose positions are not in [0, {})", problem.table_rows()));
    cause.advice =
        "reject such positions before the launch, or write the rows that are left out (as they are, or zero)";
    return cause;
  }
  if (all_missing(*skipped) || is_raced_for(*skipped->tensor, scene)) return std::nullopt;
  const auto along = along_one_dimension(*skipped);
  if (along && local_pattern(*along, scene.launch)) return std::nullopt;
  if (tile_of_last_mask(*skipped, scene)) return std::nullopt;
  cause.text = fmt::format("whole rows of {} are left out", skipped->tensor->name);
  cause.advice = "find the mask or the grid that leaves these rows out, or write them";
  if (!along) return cause;
  const i64 first = along->missing.front(), count = i64(along->missing.size());
  cause.evidence.push_back(fmt::format("in dimension {} they have {} of {} indices, from {} to {}", along->dimension,
                                       count, along->extent, first, along->missing.back()));
  const Dim3 &grid = scene.launch.grid, &block = scene.launch.block;
  cause.evidence.push_back(fmt::format("the launch has a grid of {} x {} x {} blocks of {} x {} x {} threads", grid.x,
                                       grid.y, grid.z, block.x, block.y, block.z));
  if (first > 0 && first + count == along->extent) {
    cause.text =
        fmt::format("{} is left out from index {} of dimension {} on", skipped->tensor->name, first, along->dimension);
    cause.advice = fmt::format("launch blocks for all {} of them, and mask by that number", along->extent);
  }
  return cause;
}

std::optional<Cause> block_local_mask(const Finding& finding, const Scene& scene) {
  const auto skipped = skipped_rows(finding, scene);
  if (!skipped || all_missing(*skipped) || at_positions_outside(*skipped, scene)) return std::nullopt;
  const auto along = along_one_dimension(*skipped);
  const auto pattern = along ? local_pattern(*along, scene.launch) : std::nullopt;
  Cause cause;
  cause.id = "block-local-mask";
  cause.advice = "hold the row's number in the whole tensor against the mask, not its number in the tile";
  if (const i64 tile = pattern ? 0 : tile_of_last_mask(*skipped, scene)) {
    cause.text = fmt::format("the rows of a sequence's last tile of {} are counted, and mask each of its tiles", tile);
    cause.evidence = {count_text(*skipped),
                      "they are exactly the rows of whole tiles whose numbers in the tile the last tile does not have"};
    return cause;
  }
  if (!pattern) return std::nullopt;
  cause.text =
      fmt::format("in each tile of {} rows those from {} on are left out: the mask counts rows within the tile",
                  pattern->tile, pattern->from);
  cause.evidence = {
      count_text(*skipped),
      fmt::format("indices n of dimension {} with n mod {} >= {} are missing, and no other, in {} tiles",
                  along->dimension, pattern->tile, pattern->from, (along->extent + pattern->tile - 1) / pattern->tile)};
  return cause;
}

}  // namespace ropewalk::diagnose
