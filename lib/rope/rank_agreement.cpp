#include "lib/rope/rank_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/rope/words.h"

namespace ropewalk {
namespace {

using Group = std::vector<JudgedTable*>;

// The same table on all ranks, by name; where each rank has one, whatever it is called.
std::map<std::string, Group> groups_of(std::vector<JudgedTable>& judged) {
  std::map<i64, size_t> tables;
  for (const JudgedTable& one : judged) ++tables[one.rank];
  const bool one_each = std::all_of(tables.begin(), tables.end(), [](const auto& rank) { return rank.second == 1; });
  std::map<std::string, Group> groups;
  for (JudgedTable& one : judged) groups[one_each ? "" : one.name()].push_back(&one);
  return groups;
}

bool is_copy(const JudgedTable& one) {
  const PositionRuns& runs = one.task.runs;
  return !one.table || (runs.size() == 1 && runs[0].first_position == 0 && one.task.formula_rows == one.table->rows);
}

// What two honest computations of one value may differ by, at most: any frequency is at most 1 radian a position.
double allowed_difference(double a, double b, double position, Dtype dtype) {
  RopeFrequencies fastest;
  fastest.frequency = {1};
  fastest.error = {0x1p-20};
  return 2 * RopeBound(fastest, dtype).at(0, position, std::max(std::abs(a), std::abs(b)));
}

// The first element in which two copies differ by more than both may; counts all of them.
std::optional<WrongValue> first_difference(const CacheTable& a, const CacheTable& b, i64& count) {
  std::optional<WrongValue> first;
  const Dtype left = rounded_to(a), right = rounded_to(b);
  const Dtype coarser = size_of(left) < size_of(right) ? left : right;
  for (size_t p = 0; p < a.planes.size() && p < b.planes.size(); ++p) {
    const Plane& mine = a.planes[p];
    const Plane& other = b.planes[p];
    for (i64 row = 0; row < a.rows; ++row) {
      for (i64 pair = 0; pair < a.pairs(); ++pair) {
        for (const Trig trig : {Trig::Cos, Trig::Sin}) {
          const i64 column = mine.column_of(pair, trig), there = other.column_of(pair, trig);
          if (column < 0 || there < 0) continue;
          const double x = mine.at(row, column), y = other.at(row, there);
          const double allowed = allowed_difference(x, y, double(row), coarser);
          if (std::abs(x - y) <= allowed || (std::isnan(x) && std::isnan(y))) continue;
          ++count;
          if (!first) first = WrongValue{p, row, there, row, y, x, allowed};
        }
      }
    }
  }
  return first;
}

std::optional<WrongValue> first_difference(const FrequencyTensor& a, const FrequencyTensor& b, i64& count) {
  std::optional<WrongValue> first;
  for (size_t n = 0; n < a.values.size() && n < b.values.size(); ++n) {
    const double allowed = 0x1p-17 * std::abs(a.values[n]);
    if (std::abs(a.values[n] - b.values[n]) <= allowed) continue;
    ++count;
    if (!first) first = WrongValue{0, 0, i64(n), 0, b.values[n], a.values[n], allowed};
  }
  return first;
}

bool same_shape(const JudgedTable& a, const JudgedTable& b) {
  if (!a.table != !b.table) return false;
  if (!a.table) return a.frequencies->values.size() == b.frequencies->values.size();
  return a.table->rows == b.table->rows && a.table->pairs() == b.table->pairs() &&
         a.table->planes.size() == b.table->planes.size();
}

std::string formula_text(const JudgedTable& one) {
  return one.verdict.healthy ? in_words(one.task.formula) : "no formula that is known here";
}

void blame(JudgedTable& odd, const JudgedTable& reference, const WrongValue& first, i64 count) {
  const std::string own = formula_text(odd), other = formula_text(reference);
  odd.verdict.stream.values = odd.table ? odd.table->rows * odd.table->planes[0].columns * i64(odd.table->planes.size())
                                        : i64(odd.frequencies->values.size());
  odd.verdict.stream.wrong = count;
  odd.verdict.stream.first = odd.verdict.stream.worst = first;
  if (odd.table && odd.verdict.stream.row_is_wrong.empty())
    odd.verdict.stream.row_is_wrong.assign(size_t(odd.table->rows + 63) / 64, 0);
  odd.verdict.healthy = false;
  odd.open.clear();
  odd.verdict.cause = "rank-differs";
  odd.verdict.text = fmt::format("rank {} has another table than rank {}", odd.rank, reference.rank);
  odd.verdict.advice =
      "compare how the two ranks made their tables: configuration, library versions, order of initialisation; a "
      "configuration (--config) says which of them is right";
  odd.verdict.evidence = {fmt::format("rank {}: {}", reference.rank, other), fmt::format("rank {}: {}", odd.rank, own),
                          fmt::format("{} values differ by more than two computations may, first {:.9g} and {:.9g}",
                                      count, first.expected, first.got)};
  odd.reference_rank = reference.rank;
}

}  // namespace

void compare_ranks(std::vector<JudgedTable>& judged) {
  for (auto& [name, group] : groups_of(judged)) {
    if (group.size() < 2 || !std::all_of(group.begin(), group.end(), [](JudgedTable* one) { return is_copy(*one); }))
      continue;
    // The formula of most ranks is the reference; of equally many, the first one's.
    const auto votes_of = [&](const JudgedTable* one) {
      return std::count_if(group.begin(), group.end(), [&](const JudgedTable* other) {
        return other->verdict.healthy && other->task.formula == one->task.formula;
      });
    };
    JudgedTable* reference = nullptr;
    for (JudgedTable* one : group) {
      if (!one->verdict.healthy && one->open.empty()) continue;
      if (!reference || votes_of(one) > votes_of(reference)) reference = one;
    }
    if (!reference) continue;
    for (JudgedTable* one : group) {
      if (one == reference || one->rank == reference->rank || !same_shape(*one, *reference)) continue;
      if (!one->verdict.healthy && one->open.empty()) continue;
      // Two tables within the bounds of one formula are near each other.
      if (one->verdict.healthy && reference->verdict.healthy && one->task.formula == reference->task.formula) continue;
      i64 count = 0;
      const auto first = one->table ? first_difference(*reference->table, *one->table, count)
                                    : first_difference(*reference->frequencies, *one->frequencies, count);
      if (first) blame(*one, *reference, *first, count);
    }
  }
}

void explain_overlaps(std::vector<JudgedTable>& judged, i64 ranks) {
  for (auto& [name, group] : groups_of(judged)) {
    if (i64(group.size()) != ranks || ranks < 2) continue;
    i64 overlap = 0;
    bool all = true;
    for (const JudgedTable* one : group) {
      const i64 rows = one->table ? one->table->rows : 0;
      const PositionRuns& runs = one->task.runs;
      const bool contiguous = rows > 0 && runs.size() == 1 && runs[0].first_position == one->rank * rows;
      if (one->rank == 0) {
        all &= contiguous && one->verdict.healthy;
        continue;
      }
      const auto& winner = one->verdict.winner;
      if (!contiguous || one->verdict.cause != "position-shift" || !winner || !winner->model.position) {
        all = false;
        break;
      }
      // What holds the whole length is no shard.
      const i64 length = one->task.formula.max_positions;
      if (ranks == 2 && length > 0 && rows >= length) all = false;
      const i64 missing = one->rank * rows - i64(winner->model.position(0));
      if (missing <= 0 || missing % one->rank != 0 || missing / one->rank >= rows) all = false;
      if (overlap == 0 && all) overlap = missing / one->rank;
      all &= overlap > 0 && missing == overlap * one->rank;
    }
    if (!all || overlap == 0) continue;
    for (JudgedTable* one : group) {
      if (one->rank == 0) continue;
      one->verdict.cause = "shards-overlap";
      one->verdict.text = fmt::format("each shard begins {} row{} before the end of the one before it", overlap,
                                      overlap == 1 ? "" : "s");
      one->verdict.advice = "begin shard r at r x rows, or let the reader know of the rows that two shards share";
    }
  }
}

}  // namespace ropewalk
