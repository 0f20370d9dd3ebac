#include "lib/rope/judge_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/rope/grid_tables.h"
#include "lib/rope/judge_cells.h"

namespace ropewalk::rope {
namespace {

TableTask task_with(const JudgedTable& one, const RopeFormula& formula, const ImageGrid& grid) {
  TableTask task = one.task;
  task.formula = formula;
  task.image = grid;
  return task;
}

std::vector<Alternative> alternatives_of(const Suspect& suspect) {
  std::vector<Alternative> list = image_alternatives(suspect);
  for (Alternative& other : formula_alternatives(suspect)) {
    if (other.cause == "wrong-theta" && other.rank < 3) list.push_back(std::move(other));
  }
  return list;
}

// Whether an alternative explains every value.
bool explain(JudgedTable& one, const TableTask& task) {
  const CacheTable& table = *one.table;
  const Suspect suspect = suspect_of(table, task);
  const TableSample sample = sample_of(table, telling_rows(table.rows, 48));
  const Model right = model_of(task.formula, suspect);
  for (Alternative& other : alternatives_of(suspect)) {
    if (fit_of(other.model, sample, suspect.rounding).share < 1) continue;
    if (!compare_cells(table, other.model, suspect.rounding).healthy()) continue;
    TableVerdict verdict;
    verdict.stream = compare_cells(table, right, suspect.rounding);
    if (verdict.stream.healthy()) return false;
    verdict.cause = other.cause;
    verdict.text = other.text;
    verdict.advice = other.advice;
    verdict.first_row = verdict.stream.first->row;
    verdict.plane = verdict.stream.first->plane;
    verdict.evidence = {fmt::format("so all {} values of an image of {} x {} cells are within their bound",
                                    verdict.stream.values, task.image->height, task.image->width),
                        fmt::format("as it should be: {}", fit_text(fit_of(right, sample, suspect.rounding)))};
    one.task = task;
    one.verdict = std::move(verdict);
    return true;
  }
  return false;
}

}  // namespace

bool judge_image(JudgedTable& one, const std::vector<ImageFormula>& formulas, std::string& note) {
  std::vector<TableTask> tasks;
  for (const ImageFormula& image : formulas) {
    for (const ImageGrid& grid : sizes_for(image.grid, one.table->rows))
      tasks.push_back(task_with(one, image.formula, grid));
  }
  const auto conclude = [&](const TableTask& task) {
    one.on_a_grid = true;
    note = fmt::format("rows of table {} are the cells of an image of {} x {}", one.name(), task.image->height,
                       task.image->width);
    return true;
  };
  // Most values are right where the rows stand there, whatever else is wrong.
  for (const TableTask& task : tasks) {
    if (quick_share(*one.table, task) < 0.9) continue;
    one.task = task;
    one.verdict = judge_table(*one.table, task);
    return conclude(task);
  }
  return std::ranges::any_of(tasks, [&](const TableTask& task) { return explain(one, task) && conclude(task); });
}

bool explain_image_axes(JudgedTable& one, const std::vector<ImageFormula>& formulas) {
  const auto at_whole_cells = [&](const RopeFormula& formula) {
    const GridRows grid = grid_rows(*one.table, formula, rounding_of(*one.table).coarser());
    return grid.cells == Cells::Right && grid.whole ? std::optional(grid) : std::nullopt;
  };
  for (const ImageFormula& image : formulas) {
    if (image.grid.count == CellCount::Centres || at_whole_cells(image.formula)) continue;
    TableTask task = one.task;
    task.formula = image.formula;
    for (const RopeFormula& other : other_image_axes(image.formula)) {
      const std::optional<GridRows> grid = at_whole_cells(other);
      if (!grid) continue;
      const Alternative explained = with_image_axes(other, suspect_of(*one.table, task));
      one.task = std::move(task);
      one.verdict = {};
      one.verdict.cause = explained.cause;
      one.verdict.text = explained.text;
      one.verdict.advice = explained.advice;
      one.verdict.evidence = {
          fmt::format("by these all {} rows that were looked at stand at whole coordinates on {} axes, in all {} pairs",
                      grid->rows.size(), grid->places.size(), other.pairs()),
          "by those of the model some row stands at no whole coordinates"};
      one.on_a_grid = true;
      return true;
    }
  }
  return false;
}

}  // namespace ropewalk::rope
