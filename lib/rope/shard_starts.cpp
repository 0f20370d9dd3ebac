#include "lib/rope/shard_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/rope/measure.h"
#include "lib/rope/rank_agreement.h"

namespace ropewalk::rope {
namespace {

using Group = std::vector<JudgedTable*>;

// The position of a table's first row, where its rows are neighbours.
std::optional<i64> start_of(const JudgedTable& one) {
  TableTask task = one.task;
  task.runs = positions_from(0, one.table->rows);
  const Suspect suspect = suspect_of(*one.table, task);
  const Model model = model_of(suspect.expected, suspect);
  if (model.frequencies.pairs() != one.table->pairs()) return std::nullopt;
  const TableSample sample = sample_of(*one.table, telling_rows(one.table->rows, 24));
  const double most = 4 * double(std::max<i64>(task.formula_rows, 4096));
  // A row may stand at several positions, as far as its values tell; the table stands at one.
  std::set<i64> tried;
  for (size_t n = 0; n < sample.rows.size() && tried.size() < 4; ++n) {
    const std::optional<double> at = measured_position(sample, n, model.frequencies, most);
    if (!at) continue;
    const i64 start = i64(std::round(*at)) - sample.rows[n];
    if (start < 0 || !tried.insert(start).second) continue;
    task.runs = positions_from(start, one.table->rows);
    if (quick_share(*one.table, task) > 0.99) return start;
  }
  return std::nullopt;
}

std::string count_of(i64 count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

// Where the shards lie, and the first rank that shares rows with the one before it.
struct Starts {
  std::vector<i64> positions, rows;

  i64 end(size_t rank) const { return positions[rank] + rows[rank]; }
  // Rows from the end of the one before it: below 0, both have them.
  i64 distance(size_t rank) const { return positions[rank] - end(rank - 1); }
  std::string text() const {
    std::string list;
    for (size_t n = 0; n < positions.size() && n < 8; ++n)
      list += fmt::format("{}{} to {}", n ? ", " : "", positions[n], end(n) - 1);
    return fmt::format("the ranks have positions {}{}", list, positions.size() > 8 ? ", ..." : "");
  }
};

// Of ranks in their order, each of which begins behind the beginning of the one before it.
std::optional<Starts> starts_of(const Group& group) {
  Starts starts;
  for (const JudgedTable* one : group) {
    const std::optional<i64> start = start_of(*one);
    if (!start || (starts.positions.empty() ? *start != 0 : *start <= starts.positions.back())) return std::nullopt;
    starts.positions.push_back(*start);
    starts.rows.push_back(one->table->rows);
  }
  return starts;
}

// Whether they are meant to be parts: none of them has the model's whole length, and they nearly follow each other.
bool are_parts(const Group& group, const Starts& starts) {
  const i64 length = group[0]->task.length();
  for (size_t rank = 0; rank < group.size(); ++rank) {
    if (length > 0 && starts.rows[rank] >= length) return false;
    if (rank > 0 && 2 * std::abs(starts.distance(rank)) > std::min(starts.rows[rank - 1], starts.rows[rank]))
      return false;
  }
  return true;
}

// The shards of equal length that the ranks were taken for.
bool are_equal_shards(const Group& group) {
  const i64 rows = group[0]->table->rows;
  return std::all_of(group.begin(), group.end(), [&](const JudgedTable* one) {
    const PositionRuns& runs = one->task.runs;
    return one->table->rows == rows && runs.size() == 1 && runs[0].first_position == one->rank * rows;
  });
}

void blame_overlap(JudgedTable& one, const Starts& starts, i64 shared) {
  const size_t rank = size_t(shared);
  bool regular = true;
  for (size_t n = 1; n < starts.rows.size(); ++n) regular &= starts.distance(n) == starts.distance(1);
  const std::string words = count_of(-starts.distance(rank), "row") + " before the end of";
  one.verdict.cause = "shards-overlap";
  one.verdict.text = regular ? fmt::format("each shard begins {} the one before it", words)
                             : fmt::format("the shard of rank {} begins {} that of rank {}, and no position is missing",
                                           shared, words, shared - 1);
  one.verdict.advice =
      "begin each shard where the one before it ends, or let the reader know of the rows that two share";
  one.verdict.evidence = {starts.text()};
}

void blame_gap(JudgedTable& one, const Starts& starts) {
  const size_t rank = size_t(one.rank);
  const i64 first = starts.end(rank - 1), last = starts.positions[rank] - 1;
  const std::string missing =
      first == last ? fmt::format("position {} is", first) : fmt::format("positions {} to {} are", first, last);
  one.verdict.cause = "shards-gap";
  one.verdict.text = fmt::format("{} in no shard: that of rank {} begins {} past the end of that of rank {}", missing,
                                 rank, count_of(starts.distance(rank), "row"), rank - 1);
  one.verdict.advice = "begin each shard where the one before it ends";
  one.verdict.evidence = {starts.text()};
}

// Each rank's verdict as the shard that follows the one before it, wherever that lies.
void judge_by_starts(const Group& group, const Starts& starts) {
  const i64 all = starts.end(group.size() - 1);
  for (JudgedTable* one : group) {
    const size_t rank = size_t(one->rank);
    const i64 wanted = rank ? starts.end(rank - 1) : 0, distance = starts.positions[rank] - wanted;
    one->task.formula_rows = all;
    one->task.runs = positions_from(wanted, one->table->rows);
    one->verdict = judge_table(*one->table, one->task);
    if (distance < 0) blame_overlap(*one, starts, one->rank);
    if (distance > 0) blame_gap(*one, starts);
  }
}

}  // namespace

void explain_shard_starts(std::vector<JudgedTable>& judged, i64 ranks) {
  for (auto& [name, group] : same_tables(judged)) {
    if (i64(group.size()) != ranks || ranks < 2) continue;
    const auto is_one_run = [&](const JudgedTable* one) {
      return one->table && one->open.empty() && one->table->pairs() == group[0]->table->pairs() &&
             one->task.runs.size() == 1;
    };
    if (!group[0]->table || !std::all_of(group.begin(), group.end(), is_one_run)) continue;
    const i64 wrong =
        std::count_if(group.begin(), group.end(), [](const JudgedTable* one) { return !one->verdict.healthy; });
    if (wrong == 0) continue;
    const std::optional<Starts> starts = starts_of(group);
    if (!starts) continue;
    i64 shared = 0;  // the first rank that shares rows with the one before it
    bool gap = false;
    for (size_t rank = 1; rank < group.size(); ++rank) {
      if (shared == 0 && starts->distance(rank) < 0) shared = i64(rank);
      gap |= starts->distance(rank) > 0;
    }
    const bool equal = are_equal_shards(group);
    // What holds the whole length is no shard.
    const i64 length = group[0]->task.length();
    const bool whole = ranks == 2 && length > 0 && group[0]->table->rows >= length;
    if (equal && shared > 0 && !gap && !whole) {
      for (JudgedTable* one : group) {
        if (!one->verdict.healthy) blame_overlap(*one, *starts, shared);
      }
      continue;
    }
    // Of shards of equal length that lie where they should, one alone stands elsewhere.
    if ((equal && wrong == 1) || (shared == 0 && !gap) || !are_parts(group, *starts)) continue;
    judge_by_starts(group, *starts);
  }
}

}  // namespace ropewalk::rope
