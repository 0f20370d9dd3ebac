#include "lib/rope/ranks.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>
#include <numeric>
#include <set>

#include "lib/rope/measure.h"

namespace ropewalk::rope {
namespace {

// A rank is looked for at other indices up to so many ranks.
constexpr i64 most_searched = 64;
constexpr Arrangement all_arrangements[] = {Arrangement::Copies, Arrangement::Contiguous, Arrangement::Balanced,
                                            Arrangement::Striped};
// Of a table put together from stripes, for reading frequencies off it.
constexpr i64 most_joined_rows = 4096;

// What speaks for an arrangement.
struct Support {
  i64 placed = 0;       // shards of it that some rank holds, its own or another one
  i64 explained = 0;    // ranks that hold what the arrangement gives them
  double likeness = 0;  // how near all ranks come to it, from 0 to their number

  auto operator<=>(const Support&) const = default;
};

using Tables = std::vector<const CacheTable*>;

std::vector<i64> rows_of(const Tables& tables) {
  std::vector<i64> rows;
  for (const CacheTable* table : tables) rows.push_back(table->rows);
  return rows;
}

// How well one rank's table is what the arrangement gives to rank `as`.
Fit fit_as(const Tables& tables, const RopeFormula& formula, Arrangement arrangement, i64 rank, i64 as,
           const std::vector<double>* frequencies) {
  const CacheTable& table = *tables[size_t(rank)];
  const std::vector<i64> rows = rows_of(tables);
  const TableTask task{formula, false, formula_rows_of(arrangement, as, rows), runs_of(arrangement, as, rows)};
  const Suspect suspect = suspect_of(table, task);
  const TableSample sample = sample_of(table, telling_rows(table.rows, 24));
  Model model = model_of(suspect.expected, suspect);
  if (frequencies) {
    if (model.frequencies.pairs() != i64(frequencies->size())) return {};
    model.frequencies.frequency = *frequencies;
    const double attention = measured_attention(sample);
    if (attention > 0.2 && attention < 10) model.frequencies.attention = attention;
  }
  return fit_of(model, sample, suspect.rounding);
}

// Compared with the formula; with frequencies that were measured, and so have an error, a rank counts by its residual
// alone. Ranks whose table has another width tell nothing.
Support support_for(const Tables& tables, const RopeFormula& formula, Arrangement arrangement,
                    const std::vector<double>* frequencies) {
  const i64 ranks = i64(tables.size());
  Support support;
  std::set<i64> placed;
  for (i64 rank = 0; rank < ranks; ++rank) {
    if (tables[size_t(rank)]->pairs() != tables[0]->pairs()) continue;
    const Fit fit = fit_as(tables, formula, arrangement, rank, rank, frequencies);
    support.likeness += frequencies ? std::max(0.0, 1 - 3 * fit.residual) : fit.share;
    if (frequencies) continue;
    if (explained(fit)) {
      ++support.explained;
      placed.insert(rank);
      continue;
    }
    if (arrangement == Arrangement::Copies || ranks > most_searched) continue;
    for (i64 as = 0; as < ranks; ++as) {
      const bool as_many = tables[size_t(as)]->rows == tables[size_t(rank)]->rows;
      if (as == rank || !as_many || !explained(fit_as(tables, formula, arrangement, rank, as, nullptr))) continue;
      placed.insert(as);
      break;
    }
  }
  support.placed = i64(placed.size());
  return support;
}

// Whether all ranks hold the first one's values, in the rows that tell most.
bool all_equal(const Tables& tables) {
  const TableSample first = sample_of(*tables[0], telling_rows(tables[0]->rows, 24));
  return std::all_of(tables.begin() + 1, tables.end(), [&](const CacheTable* table) {
    if (table->pairs() != tables[0]->pairs() || table->rows != tables[0]->rows) return false;
    const TableSample other = sample_of(*table, first.rows);
    return other.cosine == first.cosine && other.sine == first.sine;
  });
}

// The frequencies of a table whose first rows are neighbours from position 0 on; nullopt where they cannot be read.
std::optional<std::vector<double>> frequencies_of(const CacheTable& table, i64 rows, const RopeFormula& formula) {
  const TableSample sample = sample_of(table, telling_rows(std::max<i64>(rows, 1), 24));
  const double attention = measured_attention(sample);
  std::vector<double> measured =
      measured_frequencies(sample, attention > 0.2 ? attention : reference::rope_attention(formula), rounded_to(table));
  if (std::any_of(measured.begin(), measured.end(), [](double w) { return !(w >= 0); })) return std::nullopt;
  return measured;
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
    case Arrangement::Striped:
      return "stripes of one table (positions r, r+n, ...)";
  }
  return "";
}

std::vector<const CacheTable*> same_on_all(const std::vector<FileTables>& files, const CacheTable& table) {
  std::vector<const CacheTable*> found;
  for (const FileTables& file : files) {
    for (const CacheTable& other : file.tables) {
      if (other.name == table.name || (file.tables.size() == 1 && files[0].tables.size() == 1)) {
        found.push_back(&other);
        break;
      }
    }
  }
  return found;
}

std::vector<i64> rows_on_ranks(const std::vector<FileTables>& files, const CacheTable& table, Arrangement arrangement) {
  if (arrangement == Arrangement::Copies) return {table.rows};
  std::vector<i64> rows;
  for (const CacheTable* one : same_on_all(files, table)) rows.push_back(one->rows);
  return rows;
}

PositionRuns runs_of(Arrangement arrangement, i64 rank, const std::vector<i64>& rows) {
  const i64 ranks = i64(rows.size()), own = rows[size_t(rank)];
  if (arrangement == Arrangement::Contiguous)
    return positions_from(std::accumulate(rows.begin(), rows.begin() + rank, i64(0)), own);
  if (arrangement == Arrangement::Balanced && own % 2 == 0) {
    const i64 half = own / 2;
    return {{0, half, rank * half}, {half, half, (2 * ranks - 1 - rank) * half}};
  }
  if (arrangement == Arrangement::Striped) {
    PositionRuns runs;
    for (i64 row = 0; row < own; ++row) runs.push_back({row, 1, rank + row * ranks});
    return runs;
  }
  return positions_from(0, own);
}

i64 formula_rows_of(Arrangement arrangement, i64 rank, const std::vector<i64>& rows) {
  return arrangement == Arrangement::Copies ? rows[size_t(rank)] : std::accumulate(rows.begin(), rows.end(), i64(0));
}

Arrangement arrangement_of(const Tables& tables, const RopeFormula& formula, i64 length) {
  const i64 ranks = i64(tables.size());
  if (ranks < 2) return Arrangement::Copies;
  const std::vector<i64> counts = rows_of(tables);
  const bool as_many = std::all_of(counts.begin(), counts.end(), [&](i64 count) { return count == counts[0]; });
  // Rank 0's own frequencies, because all ranks may have the same wrong formula. In any arrangement but one the first
  // half of its rows are neighbours.
  const std::optional<std::vector<double>> own = frequencies_of(*tables[0], tables[0]->rows / 2, formula);
  std::vector<std::vector<std::byte>> memory;
  const std::optional<CacheTable> joined = joined_stripes(tables, most_joined_rows, memory);
  const std::optional<std::vector<double>> of_joined =
      joined ? frequencies_of(*joined, joined->rows, formula) : std::nullopt;
  // Where the ranks' rows together are just the model's length, each is meant to be a part: copies of one part are
  // parts whose offset was added nowhere.
  const i64 rows = *std::max_element(counts.begin(), counts.end());
  const i64 all = std::accumulate(counts.begin(), counts.end(), i64(0));
  const bool parts = length > 0 && rows < length && all >= length && all - length <= 2 * ranks;
  // Where ranks are so broken that they tell nothing, the length does.
  const bool by_length = length > 0 && rows < length && all >= length && (as_many || parts);
  Arrangement best = by_length ? Arrangement::Contiguous : Arrangement::Copies;
  // The same values everywhere are copies, whichever they are.
  if (!parts && best == Arrangement::Copies && all_equal(tables)) return Arrangement::Copies;
  const auto support_of = [&](Arrangement arrangement) {
    if (arrangement == Arrangement::Copies && parts) return Support{};
    const bool striped = arrangement == Arrangement::Striped;
    if ((arrangement == Arrangement::Balanced || striped) && !as_many) return Support{};
    Support support = support_for(tables, formula, arrangement, nullptr);
    if (const auto& measured = striped ? of_joined : own)
      support.likeness = std::max(support.likeness, support_for(tables, formula, arrangement, &*measured).likeness);
    return support;
  };
  Support most = support_of(best);
  if (most.explained == ranks) return best;
  most.likeness += 0.02;  // less is chance
  for (const Arrangement arrangement : all_arrangements) {
    const Support support = support_of(arrangement);
    // Copies that are shorter than the model must be seen to be copies; being near to them is not enough.
    if (by_length && arrangement == Arrangement::Copies && support.explained <= most.explained) continue;
    // Copies of which one has fewer rows are no shards.
    if (!as_many && arrangement == Arrangement::Contiguous && support.placed < ranks && !parts) continue;
    if (support > most) {
      most = support;
      best = arrangement;
    }
  }
  return best;
}

std::optional<CacheTable> joined_stripes(const Tables& tables, i64 most, std::vector<std::vector<std::byte>>& memory) {
  const CacheTable& first = *tables[0];
  const auto is_alike = [&](const CacheTable* table) {
    if (table->rows != first.rows || table->planes.size() != first.planes.size()) return false;
    for (size_t p = 0; p < first.planes.size(); ++p) {
      const Plane &mine = first.planes[p], &other = table->planes[p];
      if (mine.columns != other.columns || mine.dtype != other.dtype || mine.layout != other.layout) return false;
    }
    return true;
  };
  if (tables.size() < 2 || !std::all_of(tables.begin(), tables.end(), is_alike)) return std::nullopt;
  const i64 ranks = i64(tables.size());
  CacheTable joined = first;
  joined.given.clear();
  joined.rows = std::min(first.rows * ranks, most);
  for (size_t p = 0; p < joined.planes.size(); ++p) {
    Plane& plane = joined.planes[p];
    const size_t bytes = size_t(plane.columns) * size_of(plane.dtype);
    memory.emplace_back(size_t(joined.rows) * bytes);
    for (i64 row = 0; row < joined.rows; ++row)
      std::memcpy(memory.back().data() + size_t(row) * bytes,
                  tables[size_t(row % ranks)]->planes[p].start + size_t(row / ranks) * bytes, bytes);
    plane.start = memory.back().data();
    plane.rows = joined.rows;
    plane.mapped = false;
  }
  return joined;
}

}  // namespace ropewalk::rope
