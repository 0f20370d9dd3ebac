#include "lib/diagnose/masks.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/asked_rows.h"
#include "lib/diagnose/guards.h"
#include "lib/diagnose/kernel_text.h"
#include "lib/diagnose/overrun.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

// Whether something that was passed to the launch asks for these accesses: then no mask is to blame.
bool asked_for(const LaunchTensor& tensor, const Outside& outside, const Scene& scene) {
  if (is_table(tensor)) {
    const i64 rows = element_count(tensor.shape) / std::max<i64>(tensor.shape.back(), 1);
    const auto hypothesis = hypothesis_that_explains(rows_of(outside, tensor), rows, outside.complete, scene);
    return hypothesis && !hypothesis->is_guess;
  }
  const std::vector<i64> rows = rows_of(outside, tensor);
  for (const Integers& integers : known_integers(scene.launch)) {
    std::vector<i64> values = integers.values;
    std::sort(values.begin(), values.end());
    if (is_dense(tensor) && std::includes(values.begin(), values.end(), rows.begin(), rows.end())) return true;
  }
  const Integers bounds = sequence_bounds(scene);
  if (bounds.values.empty() || tensor.shape.size() < 2) return false;
  const u64 dimension = tensor.shape.size() <= 3 ? 0 : tensor.shape.size() - 3;
  return *std::max_element(bounds.values.begin(), bounds.values.end()) > tensor.shape[dimension];
}

// A mask that is missing writes too much, not too little.
bool leaves_elements_unwritten(const LaunchTensor& tensor, const Scene& scene) {
  return std::any_of(scene.findings.begin(), scene.findings.end(), [&](const Finding& finding) {
    return finding.rule == Rule::OutputNotWritten && tensor_of(finding, scene) == &tensor;
  });
}

bool touches_other_regions(const LaunchTensor& tensor, const Scene& scene) {
  return std::any_of(scene.findings.begin(), scene.findings.end(), [&](const Finding& finding) {
    return finding.rule == Rule::IndexOutOfField && !broken_statement(finding) && tensor_of(finding, scene) == &tensor;
  });
}

std::string range_text(const char* what, i64 first, i64 count) {
  if (count == 1) return fmt::format("{} {}", what, first);
  return fmt::format("{}s {} to {}", what, first, first + count - 1);
}

// What the last tile has too many of: of a tensor of one dimension its elements. Memory of which no type is known has
// bytes, which are not what the kernel takes for its elements where it stores more at once.
const char* row_word(const LaunchTensor& tensor, const Finding& finding) {
  if (tensor.shape.size() != 1) return "row";
  return tensor.dtype == Dtype::U8 && finding.access && finding.access->bytes > 1 ? "byte" : "element";
}

// `rows`: "5 rows", "a longest sequence of 5 rows"; `one`: "row".
Cause row_cause(const std::string& tensor, const std::string& one, const std::string& rows, const Tile& tile,
                std::string evidence) {
  Cause cause;
  cause.id = "missing-row-mask";
  const std::string in_tiles = tile.text.empty() ? "" : " in " + tile.text;
  cause.text = fmt::format("the last tile of {}s of {} is not masked: {}{} are taken for {}", one, tensor, rows,
                           in_tiles, tile.padded);
  cause.evidence = {std::move(evidence)};
  cause.advice = fmt::format(
      "compare the {0}'s number in the whole tensor, not in its tile, with the number of {0}s before every load and "
      "store",
      one == "byte" ? "element" : one);
  return cause;
}

std::string rows_text(const std::string& one, i64 extent, i64 longest, const Tile& tile) {
  if (!longest) return fmt::format("{} {}s", extent, one);
  return fmt::format("sequences of {} {} {}s", longest < tile.padded ? "up to" : "fewer than", longest, one);
}

// Where the rows lie that are touched too many.
std::string overrun_text(const LaunchTensor& tensor, const Outside& outside, const RowOverrun& rows, const char* one) {
  const std::string range = range_text(one, rows.extent, rows.rows);
  if (tensor.shape.size() == 1)
    return fmt::format("{}: {}, and it has {}", reach_text(tensor, outside), range, rows.extent);
  return fmt::format("{}: {} of dimension {}, which has {} of {} elements each", reach_text(tensor, outside), range,
                     rows.dimension, rows.extent, rows.stride);
}

// Whether the text of the kernel has a mask that would let these pass. One that lets one thread too many pass reaches
// as far as a missing one whose last tile has one to spare.
bool has_wrong_mask(const RowOverrun& rows, const Scene& scene) {
  const i64 end = rows.extent + rows.rows, each = rows.tile.each;
  const auto has_one = [&](i64 unit) {
    return (rows.rows == each && compares_with(scene, rows.extent / unit)) ||
           has_mask_up_to(scene, end / unit, rows.extent / unit);
  };
  return has_one(1) || (each > 1 && has_one(each));
}

Cause column_cause(const std::string& tensor, i64 lanes, bool pairs, const Tile& tile, std::string evidence) {
  Cause cause;
  cause.id = "missing-column-mask";
  cause.text = fmt::format("lanes past the last column of {} are not masked: {} {} in {} are taken for {}", tensor,
                           lanes, pairs ? "pairs of columns" : "columns", tile.text, tile.padded);
  cause.evidence = {std::move(evidence)};
  cause.advice = fmt::format("compare the lane with the number of {} ({}) before every load and store",
                             pairs ? "pairs" : "columns", lanes);
  return cause;
}

// A number that is compared with an argument is masked: whoever made the tensor made it too small.
bool is_masked_already(const Finding& finding, const Scene& scene, const Tile& tile) {
  return !scene.problem && !is_rotary(scene) && is_under_mask(finding, scene, tile.axis);
}

std::optional<Cause> row_mask_of_statement(const BrokenStatement& statement, const Finding& finding,
                                           const LaunchTensor* tensor, const Scene& scene) {
  const bool about_rows = has_word(statement.dimension, {"tokens", "rows", "heads", "token", "row", "head"});
  if (!about_rows || has_word(statement.dimension, {"dim"}) || statement.value < statement.bound) return std::nullopt;
  const auto claim = [&](const Tile& tile, i64 longest) {
    return row_cause(statement.tensor, "row", rows_text("row", statement.bound, longest, tile), tile,
                     fmt::format("{}.{} is {} where there are {}, and the last tile ends at {}", statement.tensor,
                                 statement.dimension, statement.value, statement.bound, tile.padded));
  };
  // What the accesses past the end tell of the tile is surer than the launch's extents.
  if (tensor) {
    const auto overrun = row_overrun(*tensor, outside_of(*tensor, scene), finding, scene);
    const bool same_rows = overrun && (overrun->longest >= statement.bound || overrun->extent == statement.bound);
    if (same_rows && statement.value < overrun->tile.padded) return claim(overrun->tile, overrun->longest);
  }
  std::optional<Tile> smallest;
  for (const Tile& tile : tiles_of(statement.bound, scene.launch)) {
    const bool same_thread =
        !finding.thread || tile.axis < 0 || i64(finding.thread->thread[tile.axis]) == statement.value % tile.size;
    if (!tile.of_launch || statement.value >= tile.padded || !same_thread) continue;
    if (!smallest || tile.padded < smallest->padded) smallest = tile;
  }
  if (!smallest) return std::nullopt;
  return claim(*smallest, 0);
}

// The last column that lanes up to a tile's end touch, plus one, and how many lanes of a row are behind `bound` then.
struct LanesEnd {
  i64 last = 0, lanes_behind = 0;
};

std::vector<LanesEnd> ends_of_pairs(i64 pairs, const Tile& tile, i64 bound, const RotaryProblem* problem) {
  const LanesEnd half{pairs + tile.padded, pairs + tile.padded - bound},
      interleaved{2 * tile.padded, tile.padded - bound / 2};
  if (!problem) return {half, interleaved};
  return {problem->layout == RotaryLayout::Half ? half : interleaved};
}

std::optional<Cause> column_mask_of_statement(const BrokenStatement& statement, const Finding& finding,
                                              const Scene& scene) {
  if (!has_word(statement.dimension, {"dim", "columns", "pairs", "column", "pair"})) return std::nullopt;
  // The lanes of every row break it alike: which says nothing where there is one.
  const auto fits = [&](const LanesEnd& end) {
    const i64 accesses = i64(finding.occurrences.accesses);
    const Occurrences& seen = finding.occurrences;
    // Every block that has a row has all of its lanes: fewer threads are another width.
    if (seen.threads && i64(seen.threads) < i64(seen.blocks) * end.lanes_behind) return false;
    return statement.value >= statement.bound && statement.value < end.last && end.lanes_behind > 1 && accesses > 0 &&
           accesses % end.lanes_behind == 0;
  };
  const auto claim = [&](i64 lanes, bool pairs, const Tile& tile, const LanesEnd& end) {
    return column_cause(
        statement.tensor, lanes, pairs, tile,
        fmt::format("column {} is touched where there are {}; {} end at column {}, with {} lanes of each "
                    "row past the last column: {} accesses = {} x {}",
                    statement.value, statement.bound, tile.text, end.last, end.lanes_behind,
                    finding.occurrences.accesses, i64(finding.occurrences.accesses) / end.lanes_behind,
                    end.lanes_behind));
  };
  const std::vector<RotaryWidth> widths = possible_widths(scene);
  if (!widths.empty() && statement.dimension == "head_dim") {
    const i64 pairs = widths.front().columns / 2;
    for (const Tile& tile : padded_columns(pairs, scene.launch)) {
      for (const LanesEnd& end : ends_of_pairs(pairs, tile, statement.bound, rotary_problem(scene))) {
        if (fits(end)) return claim(pairs, true, tile, end);
      }
    }
    return std::nullopt;
  }
  for (const Tile& tile : padded_columns(statement.bound, scene.launch)) {
    const LanesEnd end{tile.padded, tile.padded - statement.bound};
    if (fits(end)) return claim(statement.bound, false, tile, end);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cause> missing_row_mask(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (const auto statement = broken_statement(finding)) {
    if (tensor && is_table(*tensor)) return std::nullopt;
    return row_mask_of_statement(*statement, finding, tensor, scene);
  }
  if (!tensor || !is_out_of_bounds(finding) || !widths_fit(scene, *tensor)) return std::nullopt;
  if (straddles_the_end(finding, *tensor)) return std::nullopt;
  const Outside outside = outside_of(*tensor, scene);
  const auto rows = row_overrun(*tensor, outside, finding, scene);
  if (!rows || asked_for(*tensor, outside, scene) || leaves_elements_unwritten(*tensor, scene)) return std::nullopt;
  // A counter that atomics count up reaches as far as the number of threads.
  if (!scene.problem && has_wrong_mask(*rows, scene)) return std::nullopt;
  if (!scene.problem && uses_results_of_atomics(scene)) return std::nullopt;
  // Rows too many explain nothing in the columns of rows that are there.
  if (!rows->longest && touches_other_regions(*tensor, scene)) return std::nullopt;
  // Lanes past the last column may make whole rows, and a thread that is such a lane has no row to be masked.
  const auto columns = column_overrun(*tensor, outside, finding, scene);
  if (columns && columns->tile.axis >= 0 && finding.thread && !rows->longest) return std::nullopt;
  if (is_masked_already(finding, scene, rows->tile)) return std::nullopt;
  const char* const one = row_word(*tensor, finding);
  std::string evidence = overrun_text(*tensor, outside, *rows, one);
  if (rows->cut_by_table) evidence += "; behind those, cos and sin have no rows";
  return row_cause(tensor->name, one, rows_text(one, rows->extent, rows->longest, rows->tile), rows->tile,
                   std::move(evidence));
}

std::optional<Cause> missing_column_mask(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (tensor && !widths_fit(scene, *tensor)) return std::nullopt;
  if (const auto statement = broken_statement(finding)) return column_mask_of_statement(*statement, finding, scene);
  if (!tensor || !is_out_of_bounds(finding) || straddles_the_end(finding, *tensor)) return std::nullopt;
  const Outside outside = outside_of(*tensor, scene);
  const auto columns = column_overrun(*tensor, outside, finding, scene);
  if (!columns || asked_for(*tensor, outside, scene) || leaves_elements_unwritten(*tensor, scene)) return std::nullopt;
  if (!scene.problem && uses_results_of_atomics(scene)) return std::nullopt;
  // What is whole rows is more likely rows, unless the thread is a lane past the last column.
  const i64 row = tensor->strides[tensor->strides.size() - 2];
  const bool whole_rows = row > 0 && outside.reach() % row == 0;
  const bool by_thread = columns->tile.axis >= 0 && finding.thread;
  if (whole_rows && !by_thread && !row_overrun(*tensor, outside, finding, scene)) return std::nullopt;
  if (is_masked_already(finding, scene, columns->tile)) return std::nullopt;
  return column_cause(
      tensor->name, columns->lanes, columns->pairs, columns->tile,
      fmt::format("{}; past the last row, {} lanes too many "
                  "reach {} columns too far",
                  reach_text(*tensor, outside), columns->tile.padded - columns->lanes, columns->columns));
}

}  // namespace ropewalk::diagnose
