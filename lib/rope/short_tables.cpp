#include "lib/rope/short_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::rope {

i64 wanted_rows(const JudgedTable& one) {
  const RopeFormula& formula = one.task.formula;
  if (one.task.asked_rows || !one.table || formula.original_positions == 0) return one.task.length();
  const bool by_length = formula.type == RopeType::LongRope && one.task.formula_rows <= formula.original_positions;
  const bool is_short = !one.table->long_part.value_or(!by_length);
  return is_short ? formula.original_positions : formula.max_positions;
}

namespace {

// What says not how many positions it was made for.
bool tells_no_length(const JudgedTable& one, i64 ranks) {
  const i64 length = wanted_rows(one);
  // Of a table without a formula nobody knows which rows it should have.
  if (one.only_damage) return true;
  // The cells of one image are fewer than those of the largest.
  if (one.on_a_grid || one.task.by_cells()) return true;
  if (one.table && one.table->of_batch) return true;
  if (!one.table || !one.table->given.empty() || length <= 0 || !one.open.empty()) return true;
  // Garbage does not say whether it should be a part.
  if (one.verdict.cause == "uninitialized-memory" && one.table->rows * ranks >= length) return true;
  // A table of another width that nothing explains may have its positions elsewhere.
  const bool explained = one.verdict.healthy || (!one.verdict.cause.empty() && !one.reference_rank);
  return !explained && one.table->pairs() != one.task.formula.pairs();
}

}  // namespace

std::vector<std::string> notes_on_forwards(const std::vector<JudgedTable>& judged) {
  std::vector<std::string> notes;
  for (const JudgedTable& one : judged) {
    if (!one.table || !one.table->of_batch || one.task.formula_rows >= wanted_rows(one)) continue;
    notes.push_back(
        fmt::format("table {} has {} of the {} positions of the model: its first axis is a batch's, as of what "
                    "a forward returns",
                    one.name(), one.task.formula_rows, wanted_rows(one)));
    break;
  }
  return notes;
}

void add_short_tables(std::vector<JudgedTable>& judged, i64 ranks, std::vector<Finding>& findings) {
  const JudgedTable* shortest = nullptr;
  for (JudgedTable& one : judged) {
    const i64 length = wanted_rows(one);
    if (tells_no_length(one, ranks) || std::max(one.task.formula_rows, one.table->rows) >= length) continue;
    one.verdict.healthy = false;
    if (!shortest || one.table->rows < shortest->table->rows) shortest = &one;
  }
  if (!shortest) return;
  const i64 length = wanted_rows(*shortest), rows = shortest->task.formula_rows;
  const char* const field = shortest->task.asked_rows                        ? "--max-length"
                            : length == shortest->task.formula.max_positions ? "max_position_embeddings"
                                                                             : "original_max_position_embeddings";
  const bool is_shard = rows != shortest->table->rows;
  const std::string count = rows == 1 ? "1 row" : fmt::format("{} rows", rows);
  const char* const whose = shortest->task.asked_rows ? "the options say" : "the model has";
  Finding finding;
  finding.rule = Rule::CacheMismatch;
  finding.message = is_shard ? fmt::format("the shards of all ranks have {}, {} {} positions", count, whose, length)
                             : fmt::format("table {} has {}, {} {} positions", shortest->name(), count, whose, length);
  finding.access = Access{};
  finding.access->tensor = shortest->table->planes[0].tensor;
  finding.access->shape = {shortest->table->rows, shortest->table->planes[0].columns};
  finding.access->dtype = name_of(shortest->table->planes[0].dtype);
  finding.case_text = shortest->file;
  finding.cause = Cause{
      "too-few-rows",
      fmt::format("positions from {} on have no row", rows),
      {fmt::format("{} is {}", field, length), fmt::format("{} {} there{}", count, rows == 1 ? "is" : "are",
                                                           is_shard    ? ", all ranks together"
                                                           : ranks > 1 ? fmt::format(", on rank {}", shortest->rank)
                                                                       : "")},
      fmt::format("build the cache with {} rows, or refuse longer sequences", length)};
  findings.push_back(std::move(finding));
}

}  // namespace ropewalk::rope
