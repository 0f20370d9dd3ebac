#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lib/rope/alternatives.h"
#include "lib/rope/measure.h"

namespace ropewalk::rope {
namespace {

// Positions as they were read off rows: NaN where a row stands at none.
struct MeasuredPositions {
  std::vector<i64> rows;
  std::vector<double> positions;
};

MeasuredPositions measured_positions(const Suspect& suspect, const TableSample& sample,
                                     const reference::RopeFrequencies& frequencies) {
  MeasuredPositions measured;
  const double most = 4 * double(std::max<i64>(suspect.table_rows, 4096));
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    const std::optional<double> at = measured_position(sample, n, frequencies, most);
    measured.rows.push_back(sample.rows[n]);
    measured.positions.push_back(at && std::abs(*at - std::round(*at)) < 0.1 ? std::round(*at) : NAN);
  }
  return measured;
}

// The rows before `first` stand `before` positions too far (below 0: too early), the others `after`.
struct Break {
  i64 first = 0, before = 0, after = 0;
};

// One row where the distance between where rows stand and where they should changes. shift_of(row) measures it.
std::optional<Break> break_of(const MeasuredPositions& measured, const std::function<double(i64)>& expected,
                              const std::function<std::optional<i64>(i64)>& shift_of) {
  std::vector<std::pair<i64, i64>> known;  // row and shift
  for (size_t n = 0; n < measured.rows.size(); ++n) {
    if (!std::isnan(measured.positions[n]))
      known.push_back({measured.rows[n], i64(measured.positions[n] - expected(measured.rows[n]))});
  }
  if (known.size() < 2 || known.size() * 50 < measured.rows.size() * 49) return std::nullopt;
  const i64 before = known.front().second, after = known.back().second;
  if (before == after) return std::nullopt;
  // Where the fewest rows stand elsewhere.
  size_t strangers = 0;
  for (const auto& one : known) strangers += one.second != after;
  size_t fewest = strangers, at = 0;
  for (size_t n = 0; n < known.size(); ++n) {
    if (known[n].second != after) --strangers;
    if (known[n].second != before) ++strangers;
    if (strangers < fewest) {
      fewest = strangers;
      at = n + 1;
    }
  }
  if (at == 0 || at == known.size() || fewest * 50 > known.size()) return std::nullopt;
  i64 low = known[at - 1].first, high = known[at].first;
  while (high - low > 1) {
    const i64 middle = low + (high - low) / 2;
    (shift_of(middle) == std::optional(after) ? high : low) = middle;
  }
  return Break{high, before, after};
}

// How far the last row whose position is known stands for what it should, as a part of that; 0: it is not known.
double stretch_of(const MeasuredPositions& measured, const std::function<double(i64)>& expected) {
  for (size_t n = measured.rows.size(); n-- > 0;) {
    const double wanted = expected(measured.rows[n]);
    if (!std::isnan(measured.positions[n]) && wanted >= 8) return measured.positions[n] / wanted;
  }
  return 0;
}

// One distance of all rows that is farther than each row is looked for by itself; 0: there is none.
i64 far_shift(const TableSample& sample, const reference::RopeFrequencies& frequencies,
              const std::function<double(i64)>& expected) {
  constexpr double farthest = 1 << 22;  // beyond, float32 angles do not tell neighbours apart
  std::optional<i64> shift;
  for (size_t n = 0; n < sample.rows.size(); n += sample.rows.size() / 8 + 1) {
    const std::optional<double> at = measured_position(sample, n, frequencies, farthest);
    if (!at || std::abs(*at - std::round(*at)) > 0.1) return 0;
    const i64 own = i64(std::round(*at) - expected(sample.rows[n]));
    if (own != shift.value_or(own)) return 0;
    shift = own;
  }
  return shift.value_or(0);
}

// Positions may have been multiplied by a number.
std::optional<i64> stride_of(const MeasuredPositions& measured, const std::function<double(i64)>& expected) {
  const double stretch = stretch_of(measured, expected);
  const bool is_whole = stretch > 1.5 && std::abs(stretch - std::round(stretch)) < 1e-6;
  return is_whole ? std::optional(i64(std::round(stretch))) : std::nullopt;
}

// Rows may be repeated, each as often.
std::optional<i64> repeats_of(const MeasuredPositions& measured, const std::function<double(i64)>& expected) {
  const double stretch = stretch_of(measured, expected);
  return stretch > 0 && stretch < 0.75 ? std::optional(i64(std::round(1 / stretch))) : std::nullopt;
}

std::string positions_text(i64 shift) {
  return fmt::format("{} position{} too {}", std::abs(shift), std::abs(shift) == 1 ? "" : "s",
                     shift > 0 ? "far" : "early");
}

std::string text_of(const Break& found, i64 rows, const std::function<double(i64)>& expected) {
  const i64 first = found.first;
  if (found.before == 0) {
    const std::string rest = fmt::format("from row {} on every row stands {}: row {} is position {}", first,
                                         positions_text(found.after), first, i64(expected(first)) + found.after);
    return found.after == 1    ? fmt::format("position {} has no row: {}", i64(expected(first)), rest)
           : found.after == -1 ? fmt::format("position {} has two rows: {}", i64(expected(first)) - 1, rest)
                               : rest;
  }
  const bool rolled = found.before - found.after == rows && (first == -found.after || first == rows - found.before);
  if (rolled) {
    return fmt::format("the rows are rolled by {}: row 0 is position {}, row {} is position {}", first,
                       i64(expected(0)) + found.before, first, i64(expected(first)) + found.after);
  }
  const std::string rest =
      found.after == 0 ? "the others stand where they should" : "the others " + positions_text(found.after);
  return fmt::format("the rows before row {} stand {}, {}", first, positions_text(found.before), rest);
}

std::string times_text(size_t times) {
  return times == 1 ? "once" : times == 2 ? "twice" : fmt::format("{} times", times);
}

}  // namespace

std::vector<Alternative> position_alternatives(const Suspect& suspect, const TableSample& sample, i64 first_wrong_row,
                                               const CacheTable& table) {
  std::vector<Alternative> list;
  const Model right = model_of(suspect.expected, suspect);
  if (right.frequencies.pairs() < suspect.pairs || !sample.has_cos || !sample.has_sin) return list;
  const MeasuredPositions measured = measured_positions(suspect, sample, right.frequencies);
  const auto expected = [position = suspect.position](i64 row) { return position ? position(row) : double(row); };
  const auto add = [&](const char* cause, std::string text, const char* advice, int rank,
                       std::function<double(i64)> position) {
    Model model = right;
    model.position = std::move(position);
    list.push_back({cause, std::move(text), advice, rank, std::move(model), {}, true});
  };
  // One distance between where the rows stand and where they should.
  std::map<i64, size_t> shifts;
  for (size_t n = 0; n < measured.rows.size(); ++n) {
    if (!std::isnan(measured.positions[n])) ++shifts[i64(measured.positions[n] - expected(measured.rows[n]))];
  }
  const double most = 4 * double(std::max<i64>(suspect.table_rows, 4096));
  const std::optional<Break> found = break_of(measured, expected, [&](i64 row) -> std::optional<i64> {
    const std::optional<double> at = measured_position(sample_of(table, {row}), 0, right.frequencies, most);
    return at ? std::optional(i64(std::round(*at) - expected(row))) : std::nullopt;
  });
  // Rows that begin again at 0 are reported below, except a first row that is there twice.
  const bool again =
      found && found->before == 0 && found->first > 1 && expected(found->first) + double(found->after) == 0;
  if (found && !again) {
    add("position-shift", text_of(*found, table.rows, expected),
        "give each row of the cache its own position: look for rows that were left out, repeated or moved", 1,
        [=](i64 row) { return expected(row) + double(row < found->first ? found->before : found->after); });
  }
  std::vector<std::pair<size_t, i64>> common;
  for (const auto& [shift, count] : shifts) {
    // Where a part of the rows stands elsewhere, not every row does.
    const bool partly = found && !again && (shift == found->before || shift == found->after);
    if (shift != 0 && !partly) common.push_back({count, shift});
  }
  if (shifts.empty()) {
    if (const i64 shift = far_shift(sample, right.frequencies, expected)) common.push_back({sample.rows.size(), shift});
  }
  std::sort(common.rbegin(), common.rend());
  for (size_t n = 0; n < common.size() && n < 2; ++n) {
    const i64 shift = common[n].second;
    add("position-shift",
        fmt::format("every row stands {}: row 0 is position {}", positions_text(shift), i64(expected(0)) + shift),
        "add the shard's own offset to the positions, once; begin at 0 where there is none", 1,
        [=](i64 row) { return expected(row) + double(shift); });
  }
  if (const std::optional<i64> stride = stride_of(measured, expected)) {
    const double step = double(*stride);
    add("position-shift",
        fmt::format("row 1 stands at position {0}, row 2 at {1}: positions are multiplied by {0}", *stride,
                    2 * *stride),
        "give each position a row of its own, in its order; with frequencies that are multiplied it would be the same",
        2, [=](i64 row) { return expected(row) * step; });
  }
  if (const std::optional<i64> times = repeats_of(measured, expected)) {
    const double rows = double(*times);
    add("position-shift",
        fmt::format("each position has {} rows: row {} is position {}", *times, table.rows - 1,
                    i64(expected(table.rows - 1)) / *times),
        "give each position one row: look for a repetition along the wrong axis", 2,
        [=](i64 row) { return std::floor(expected(row) / rows); });
  }
  if (table.given.size() > 1) {
    add("position-shift", "rows are positions from 0, not those that stand beside them in the file",
        "give the batch's positions to what looks its rows up", 2, [](i64 row) { return double(row); });
  }
  // A modulus: the first row that is wrong starts again.
  if (first_wrong_row > 1) {
    const double modulus = double(first_wrong_row);
    add("position-wrap", fmt::format("positions are taken modulo {}", first_wrong_row),
        "do not wrap positions: give the cache as many rows as there are positions; rows that were looked up for a "
        "batch "
        "need its position_ids beside them in the file",
        1, [=](i64 row) { return std::fmod(expected(row), modulus); });
  }
  for (const int bits : {8, 16}) {
    const i64 half = i64(1) << (bits - 1);
    if (first_wrong_row < 0 || i64(expected(first_wrong_row)) != half) continue;
    add("position-wrap", fmt::format("positions are {}-bit integers with a sign: {} becomes {}", bits, half, -half),
        "give positions integers of 32 bits or more", 1,
        [=](i64 row) { return double((i64(expected(row)) + half) % (2 * half) - half); });
  }
  // Restarts: each row as far from the last start as it says itself.
  std::map<i64, i64> starts;  // by row: where the numbering began
  bool restarts = true;
  i64 last_start = 0;
  size_t unknown = 0;
  for (size_t n = 0; n < measured.rows.size(); ++n) {
    if (std::isnan(measured.positions[n])) {
      ++unknown;
      continue;
    }
    const i64 start = measured.rows[n] - i64(measured.positions[n]);
    restarts &= start >= last_start && start <= measured.rows[n];
    last_start = std::max(last_start, start);
    starts[measured.rows[n]] = start;
  }
  std::set<i64> distinct;
  for (const auto& [row, start] : starts) distinct.insert(start);
  // Where a numbering began there is a row 0, and row 1 behind it.
  const auto stands_at = [&](i64 row, double position) {
    const std::optional<double> at = measured_position(sample_of(table, {row}), 0, right.frequencies, most);
    return at && std::abs(*at - position) < 0.1;
  };
  for (const i64 start : distinct) {
    const auto next = distinct.upper_bound(start);
    const bool alone = start + 1 >= table.rows || (next != distinct.end() && *next == start + 1);
    restarts = restarts && start >= 0 && stands_at(start, 0) && (alone || stands_at(start + 1, 1));
  }
  if (restarts && last_start > 0 && unknown * 50 < measured.rows.size() && first_wrong_row > 0) {
    add("position-reset",
        fmt::format("positions begin again at 0, {} or more, first at row {}, at distances of no one modulus",
                    times_text(distinct.size() - (distinct.count(0) ? 1 : 0)), first_wrong_row),
        "give each row of the cache its own position; rows that were looked up for a batch need its position_ids "
        "beside "
        "them in the file",
        2, [starts, expected](i64 row) {
          const auto found = starts.find(row);
          return found == starts.end() ? expected(row) : double(row - found->second);
        });
  }
  return list;
}

std::string positions_text(const Suspect& suspect, const TableSample& sample, i64 first_wrong_row,
                           const CacheTable& table) {
  Model model = model_of(suspect.expected, suspect);
  if (model.frequencies.pairs() < suspect.pairs || !sample.has_cos || !sample.has_sin) return "";
  const auto found = [measured = measured_positions(suspect, sample, model.frequencies)](i64 row) {
    const auto at = std::lower_bound(measured.rows.begin(), measured.rows.end(), row);
    return measured.positions[size_t(at - measured.rows.begin())];
  };
  model.position = found;
  if (!explained(fit_of(model, sample, suspect.rounding))) return "";
  // From the first wrong row on, as long as the rows stand elsewhere.
  std::string positions;
  i64 row = first_wrong_row;
  for (; row < std::min(table.rows, first_wrong_row + 6); ++row) {
    const double at = measured_positions(suspect, sample_of(table, {row}), model.frequencies).positions[0];
    if (std::isnan(at) || at == (suspect.position ? suspect.position(row) : double(row))) break;
    positions += fmt::format("{}{}", positions.empty() ? "" : ", ", at);
  }
  if (positions.empty()) return "";
  const i64 last = row - 1;
  return first_wrong_row == last ? fmt::format("row {} stands at position {}", last, positions)
                                 : fmt::format("rows stand at other positions than their own: rows {} to {} at {}",
                                               first_wrong_row, last, positions);
}

}  // namespace ropewalk::rope
