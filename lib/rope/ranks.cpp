#include "lib/rope/ranks.h"

#include <algorithm>
#include <cmath>

#include "lib/rope/measure.h"

namespace ropewalk {
namespace {

constexpr Arrangement all_arrangements[] = {Arrangement::Copies, Arrangement::Contiguous, Arrangement::Balanced};

// How much of the ranks is what the arrangement gives them, from 0 to their number. With frequencies that were
// measured, and so have an error, a rank counts by its residual.
double agreeing(const std::vector<const CacheTable*>& tables, const RopeFormula& formula, Arrangement arrangement,
                const std::vector<double>* frequencies) {
  const i64 ranks = i64(tables.size());
  double sum = 0;
  for (i64 rank = 0; rank < ranks; ++rank) {
    const CacheTable& table = *tables[size_t(rank)];
    TableTask task{formula, false, arrangement == Arrangement::Copies ? table.rows : table.rows * ranks,
                   runs_of(arrangement, rank, ranks, table.rows)};
    const Suspect suspect = suspect_of(table, task);
    const TableSample sample = sample_of(table, telling_rows(table.rows, 24));
    Model model = model_of(suspect.expected, suspect);
    if (frequencies) {
      if (model.frequencies.pairs() != i64(frequencies->size())) return 0;
      model.frequencies.frequency = *frequencies;
      const double attention = measured_attention(sample);
      if (attention > 0.2 && attention < 10) model.frequencies.attention = attention;
    }
    const Fit fit = fit_of(model, sample, suspect.dtype);
    sum += frequencies ? std::max(0.0, 1 - 3 * fit.residual) : fit.share;
  }
  return sum;
}

}  // namespace

std::string_view name_of(Arrangement arrangement) {
  switch (arrangement) {
    case Arrangement::Copies:
      return "copies of one table";
    case Arrangement::Contiguous:
      return "contiguous shards of one table";
    case Arrangement::Balanced:
      return "load-balanced shards of one table (chunks r and 2n-1-r)";
  }
  return "";
}

PositionRuns runs_of(Arrangement arrangement, i64 rank, i64 ranks, i64 rows) {
  if (arrangement == Arrangement::Contiguous) return positions_from(rank * rows, rows);
  if (arrangement == Arrangement::Balanced && rows % 2 == 0) {
    const i64 half = rows / 2;
    return {{0, half, rank * half}, {half, half, (2 * ranks - 1 - rank) * half}};
  }
  return positions_from(0, rows);
}

Arrangement arrangement_of(const std::vector<const CacheTable*>& tables, const RopeFormula& formula, i64 length) {
  const i64 ranks = i64(tables.size());
  if (ranks < 2) return Arrangement::Copies;
  for (const CacheTable* table : tables) {
    if (table->rows != tables[0]->rows || table->pairs() != tables[0]->pairs()) return Arrangement::Copies;
  }
  // Rank 0's own frequencies, because all ranks may have the same wrong formula.
  // In any arrangement the first half of its rows are neighbours.
  const i64 half = tables[0]->rows / 2;
  const TableSample sample = sample_of(*tables[0], telling_rows(std::max<i64>(half, 1), 24));
  const double attention = measured_attention(sample);
  std::vector<double> measured =
      measured_frequencies(sample, attention > 0.2 ? attention : rope_attention(formula), rounded_to(*tables[0]));
  const bool usable = std::none_of(measured.begin(), measured.end(), [](double w) { return !(w >= 0); });
  // Where the ranks' rows together are just the model's length, each is meant to be a part: copies of one part are
  // parts whose offset was added nowhere.
  const i64 rows = tables[0]->rows;
  const bool parts = length > 0 && rows < length && rows * ranks >= length && rows * ranks - length <= 2 * ranks;
  // Where ranks are so broken that they tell nothing, the length does.
  Arrangement best =
      length > 0 && rows < length && rows * ranks >= length ? Arrangement::Contiguous : Arrangement::Copies;
  const auto score = [&](Arrangement arrangement) {
    if (arrangement == Arrangement::Copies && parts) return 0.0;
    const double sum = agreeing(tables, formula, arrangement, nullptr);
    return usable ? std::max(sum, agreeing(tables, formula, arrangement, &measured)) : sum;
  };
  double most = score(best) + 0.02;
  for (const Arrangement arrangement : all_arrangements) {
    const double sum = score(arrangement);
    if (sum > most) {
      most = sum;
      best = arrangement;
    }
  }
  return best;
}

}  // namespace ropewalk
