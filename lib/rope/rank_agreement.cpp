#include "lib/rope/rank_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/rope/words.h"

namespace ropewalk::rope {
namespace {

using Group = std::vector<JudgedTable*>;

bool is_copy(const JudgedTable& one) {
  const PositionRuns& runs = one.task.runs;
  return !one.table || (runs.size() == 1 && runs[0].first_position == 0 && one.task.formula_rows == one.table->rows);
}

// What two honest computations of one value may differ by, at most: any frequency is at most 1 radian a position.
double allowed_difference(double a, double b, double position, Dtype dtype) {
  reference::RopeFrequencies fastest;
  fastest.frequency = {1};
  fastest.error = {0x1p-20};
  return 2 * reference::RopeBound(fastest, dtype).at(0, position, std::max(std::abs(a), std::abs(b)));
}

// The first element in which two copies differ by more than both may, of the rows and pairs that both have; counts all
// of them.
std::optional<WrongValue> first_difference(const CacheTable& a, const CacheTable& b, i64& count) {
  std::optional<WrongValue> first;
  const Dtype left = rounded_to(a), right = rounded_to(b);
  const Dtype coarser = size_of(left) < size_of(right) ? left : right;
  for (size_t p = 0; p < b.planes.size(); ++p) {
    const Plane& other = b.planes[p];
    for (const Plane& mine : a.planes) {
      for (i64 row = 0; row < std::min(a.rows, b.rows); ++row) {
        for (i64 pair = 0; pair < std::min(a.pairs(), b.pairs()); ++pair) {
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

// Whether the two can be compared: tables of any length, width and layout are.
bool are_comparable(const JudgedTable& a, const JudgedTable& b) {
  if (!a.table != !b.table) return false;
  return a.table || a.frequencies->values.size() == b.frequencies->values.size();
}

std::string formula_text(const JudgedTable& one) {
  if (one.verdict.healthy) return in_words(one.task.formula);
  const Recognised found = one.table ? recognise(*one.table) : recognise(*one.frequencies);
  return found.formula ? in_words(*found.formula) : "no formula that is known here";
}

// Whether a table says nothing of its formula: none explains it, and no cause does.
bool is_unknown(const JudgedTable& one) {
  return !one.open.empty() || (!one.verdict.healthy && one.verdict.cause.empty());
}

void blame(JudgedTable& odd, const JudgedTable& reference, const WrongValue& first, i64 count, bool configured) {
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
      "compare how the two ranks made their tables: configuration, library versions, order of initialisation";
  if (!configured) odd.verdict.advice += "; a configuration (--config) says which of them is right";
  odd.verdict.evidence = {fmt::format("rank {}: {}", reference.rank, other), fmt::format("rank {}: {}", odd.rank, own),
                          fmt::format("{} more than two computations may, first {:.9g} and {:.9g}",
                                      count == 1 ? "1 value differs by" : fmt::format("{} values differ by", count),
                                      first.expected, first.got)};
  odd.reference_rank = reference.rank;
}

}  // namespace

std::map<std::string, Group> same_tables(std::vector<JudgedTable>& judged) {
  std::map<i64, size_t> tables;
  for (const JudgedTable& one : judged) ++tables[one.rank];
  const bool one_each = std::all_of(tables.begin(), tables.end(), [](const auto& rank) { return rank.second == 1; });
  std::map<std::string, Group> groups;
  for (JudgedTable& one : judged) groups[one_each ? "" : one.name()].push_back(&one);
  return groups;
}

std::vector<std::string> notes_on_lengths(std::vector<JudgedTable>& judged) {
  std::vector<std::string> notes;
  for (const auto& [name, group] : same_tables(judged)) {
    std::map<i64, std::string> ranks_by_rows;
    for (const JudgedTable* one : group) {
      if (!one->table || !is_copy(*one)) continue;
      std::string& ranks = ranks_by_rows[one->table->rows];
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(one->rank);
    }
    if (ranks_by_rows.size() < 2) continue;
    std::string note = (name.empty() ? "the table" : "table " + name) + " has not the same length on all ranks:";
    const char* separator = " ";
    for (const auto& [rows, ranks] : ranks_by_rows) {
      note += fmt::format("{}{} rows on rank{} {}", separator, rows, ranks.find(',') == ranks.npos ? "" : "s", ranks);
      separator = "; ";
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

void compare_ranks(std::vector<JudgedTable>& judged, bool configured) {
  for (auto& [name, group] : same_tables(judged)) {
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
      if (!one->verdict.healthy && !is_unknown(*one)) continue;
      if (!reference || votes_of(one) > votes_of(reference)) reference = one;
    }
    if (!reference) continue;
    for (JudgedTable* one : group) {
      if (one == reference || one->rank == reference->rank || !are_comparable(*one, *reference)) continue;
      if (!one->verdict.healthy && !is_unknown(*one)) continue;
      // One that a configuration's formula contradicts is wrong by it, if the other is right.
      if (reference->verdict.healthy && !one->verdict.healthy && one->open.empty()) continue;
      // Two tables within the bounds of one formula are near each other.
      if (one->verdict.healthy && reference->verdict.healthy && one->task.formula == reference->task.formula) continue;
      i64 count = 0;
      const auto first = one->table ? first_difference(*reference->table, *one->table, count)
                                    : first_difference(*reference->frequencies, *one->frequencies, count);
      if (first) blame(*one, *reference, *first, count, configured);
    }
  }
}

}  // namespace ropewalk::rope
