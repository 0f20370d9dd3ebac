#include "lib/rope/swapped_shard.h"

#include <fmt/format.h>

#include "lib/rope/stream.h"

namespace ropewalk::rope {
namespace {

std::optional<i64> other_rank_of(const JudgedTable& one, const std::vector<i64>& rows, Arrangement arrangement) {
  if (arrangement == Arrangement::Copies || quick_share(*one.table, one.task) > 0.99) return std::nullopt;
  for (i64 other = 0; other < i64(rows.size()); ++other) {
    TableTask moved = one.task;
    moved.runs = runs_of(arrangement, other, rows);
    if (other != one.rank && rows[size_t(other)] == one.table->rows && quick_share(*one.table, moved) > 0.99)
      return other;
  }
  return std::nullopt;
}

}  // namespace

bool explain_swapped_shard(JudgedTable& one, const std::vector<FileTables>& files, Arrangement arrangement) {
  const std::vector<i64> rows = rows_on_ranks(files, *one.table, arrangement);
  const std::optional<i64> other = other_rank_of(one, rows, arrangement);
  if (!other) return false;
  TableTask moved = one.task;
  moved.runs = runs_of(arrangement, *other, rows);
  const Suspect suspect = suspect_of(*one.table, one.task), there = suspect_of(*one.table, moved);
  const Model own = model_of(suspect.expected, suspect), elsewhere = model_of(there.expected, there);
  one.verdict.stream = stream_table(*one.table, own.frequencies, suspect.rounding, one.task.runs, one.task.threads);
  const TableSample sample = sample_of(*one.table, telling_rows(one.table->rows, 96));
  TableTask first = one.task;
  first.runs = runs_of(arrangement, 0, rows);
  const bool offset_lost = *other == 0 && quick_share(*same_on_all(files, *one.table)[0], first) > 0.99;
  one.verdict.cause = offset_lost ? "position-shift" : "rank-swapped";
  one.verdict.text =
      offset_lost ? fmt::format("rank {} has the positions of rank 0: the offset of its shard was not added", one.rank)
                  : fmt::format("rank {} has the shard of rank {}", one.rank, *other);
  one.verdict.advice = offset_lost
                           ? "add rank x rows (or the shard's own offset) to the positions"
                           : "give each rank its own shard: compare the order of the ranks in the process group";
  one.verdict.evidence = {
      fmt::format("as the shard of rank {}: {}", *other, fit_text(fit_of(elsewhere, sample, suspect.rounding))),
      fmt::format("as its own shard: {}", fit_text(fit_of(own, sample, suspect.rounding)))};
  return true;
}

}  // namespace ropewalk::rope
