#include "lib/rope/ranks.h"

#include <algorithm>
#include <cmath>

#include "lib/rope/measure.h"

namespace ropewalk {
namespace {

constexpr Arrangement all_arrangements[] = {Arrangement::Copies, Arrangement::Contiguous, Arrangement::Balanced};

// How many ranks hold what the arrangement gives them, by these frequencies.
i64 agreeing(const std::vector<const CacheTable*>& tables, const RopeFormula& formula, Arrangement arrangement,
             const std::vector<double>* frequencies) {
  const i64 ranks = i64(tables.size());
  i64 count = 0;
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
      for (double& error : model.frequencies.error) error += 1e-4;
      const double attention = measured_attention(sample);
      if (attention > 0.2 && attention < 10) model.frequencies.attention = attention;
    }
    count += fit_of(model, sample, suspect.dtype).share > 0.95;
  }
  return count;
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
  const TableSample sample = sample_of(*tables[0], telling_rows(tables[0]->rows, 24));
  const double attention = measured_attention(sample);
  std::vector<double> measured =
      measured_frequencies(sample, attention > 0.2 ? attention : rope_attention(formula), rounded_to(*tables[0]));
  const bool usable = std::none_of(measured.begin(), measured.end(), [](double w) { return !(w >= 0); });
  // All copies of a part that ranks of a length should have: the offset was added nowhere.
  const bool parts = length > 0 && tables[0]->rows < length && tables[0]->rows * ranks == length;
  Arrangement best = Arrangement::Copies;
  i64 most = -1;
  for (const Arrangement arrangement : all_arrangements) {
    i64 count = agreeing(tables, formula, arrangement, nullptr);
    if (usable) count = std::max(count, agreeing(tables, formula, arrangement, &measured));
    if (arrangement == Arrangement::Copies && parts && count == ranks) continue;
    if (count > most) {
      most = count;
      best = arrangement;
    }
  }
  return best;
}

}  // namespace ropewalk
