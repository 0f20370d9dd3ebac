#include "lib/rope/damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/measure.h"

namespace ropewalk::rope {
namespace {

constexpr size_t sampled_rows = 160;
constexpr double enough_on_circle = 0.6;  // of the sampled pairs
constexpr double off_circle = 0.05;       // more than any format rounds
constexpr i64 most_single = 64;           // elements

struct Damage {
  i64 values = 0, not_numbers = 0, singles = 0;
  i64 elements = 0;           // that are damaged
  std::vector<i64> bad_rows;  // whose pairs are mostly off the circle
  bool only_zeros = true;     // in those rows
};

// Where a pair's cos and sin stand: the plane and the column.
struct PlaneColumn {
  size_t plane = 0;
  i64 column = -1;
};

PlaneColumn plane_column_of(const CacheTable& table, i64 pair, Trig trig) {
  for (size_t p = 0; p < table.planes.size(); ++p) {
    if (const i64 column = table.planes[p].column_of(pair, trig); column >= 0) return {p, column};
  }
  return {};
}

// The one length that nearly all pairs have; 0: there is none, or only one of the functions.
double radius_of(const CacheTable& table) {
  const TableSample sample = sample_of(table, telling_rows(table.rows, sampled_rows));
  const double radius = measured_attention(sample);
  return radius > 0.2 && radius < 10 && share_on_circle(sample, radius) >= enough_on_circle ? radius : 0;
}

// The part of the lengths that are not `radius`.
double share_off(const std::vector<double>& lengths, double radius) {
  const auto is_off = [&](double length) { return std::abs(length - radius) > off_circle * radius; };
  return double(std::count_if(lengths.begin(), lengths.end(), is_off)) / double(lengths.size());
}

class Scan {
 public:
  Scan(TableVerdict& verdict, const CacheTable& table)
      : stream_(verdict.stream), table_(table), radius_(radius_of(table)) {
    for (i64 pair = 0; radius_ > 0 && pair < table.pairs(); ++pair) {
      columns_.push_back({plane_column_of(table, pair, Trig::Cos), plane_column_of(table, pair, Trig::Sin)});
      if (columns_.back().first.column < 0 || columns_.back().second.column < 0) columns_.clear(), radius_ = 0;
    }
  }

  Damage run() {
    stream_ = {};
    stream_.row_is_wrong.assign(size_t(table_.rows + 63) / 64, 0);
    stream_.wrong_by_plane.assign(table_.planes.size(), 0);
    for (i64 row = 0; row < table_.rows; ++row) look_at(row);
    stream_.values = damage_.values;
    stream_.wrong = damage_.elements;
    return damage_;
  }
  double radius() const { return radius_; }

 private:
  double at(const PlaneColumn& where, i64 row) const { return table_.planes[where.plane].at(row, where.column); }

  void add(size_t plane, i64 row, i64 column) {
    ++damage_.elements;
    ++stream_.wrong_by_plane[plane];
    u64& word = stream_.row_is_wrong[size_t(row / 64)];
    stream_.wrong_rows += (word >> (row % 64) & 1) == 0;
    word |= u64(1) << (row % 64);
    if (!stream_.first)
      stream_.first = stream_.worst = WrongValue{plane, row, column, row, table_.planes[plane].at(row, column), 0, 0};
  }

  void look_at(i64 row) {
    const bool bad = is_bad(row);
    if (bad) damage_.bad_rows.push_back(row);
    for (size_t p = 0; p < table_.planes.size(); ++p) {
      const Plane& plane = table_.planes[p];
      for (i64 column = 0; column < plane.columns; ++column) {
        const double value = plane.at(row, column);
        ++damage_.values;
        if (bad) damage_.only_zeros &= value == 0;
        const bool beyond = radius_ > 0 && std::abs(value) > (1 + off_circle) * radius_;
        if (!bad && !beyond && std::isfinite(value)) continue;
        damage_.not_numbers += !std::isfinite(value);
        damage_.singles += !bad && std::isfinite(value);
        add(p, row, column);
      }
    }
  }

  // Whether most pairs of a row are off the circle, and not for values that are no numbers. A row may have a factor of
  // its own: then its pairs are on another circle.
  bool is_bad(i64 row) const {
    std::vector<double> lengths;
    for (const auto& [cosine, sine] : columns_) {
      const double length = std::hypot(at(cosine, row), at(sine, row));
      if (std::isfinite(length)) lengths.push_back(length);
    }
    if (lengths.empty() || share_off(lengths, radius_) <= 0.5) return false;
    const auto middle = lengths.begin() + i64(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    const double own = *middle;
    return !(own > 0.1 * radius_ && own < 10 * radius_ && share_off(lengths, own) < 0.1);
  }

  StreamVerdict& stream_;
  const CacheTable& table_;
  double radius_;
  std::vector<std::pair<PlaneColumn, PlaneColumn>> columns_;
  Damage damage_;
};

std::string rows_text(const std::vector<i64>& rows) {
  if (rows.size() == 1) return fmt::format("row {}", rows[0]);
  const bool together = rows.back() - rows[0] + 1 == i64(rows.size());
  return together ? fmt::format("rows {} to {}", rows[0], rows.back())
                  : fmt::format("{} rows from {} to {}", rows.size(), rows[0], rows.back());
}

}  // namespace

bool explain_damage(TableVerdict& verdict, const CacheTable& table) {
  TableVerdict found;
  Scan scan(found, table);
  const Damage damage = scan.run();
  // Tables that are damaged for the most part say nothing by their circle, and right ones may have other lengths.
  const bool many = i64(damage.bad_rows.size()) * 2 > table.rows || damage.singles > most_single;
  if (damage.elements == 0 || (many && damage.not_numbers == 0)) return false;
  const StreamVerdict& stream = found.stream;
  if (damage.not_numbers > 0 && (many || damage.bad_rows.empty())) {
    found.cause = "not-a-number";
    found.text = damage.not_numbers == 1 ? "1 element is NaN or infinite"
                                         : fmt::format("{} elements are NaN or infinite", damage.not_numbers);
    found.advice =
        "look for what wrote there: a kernel that ran past its rows, a division by 0, or memory that was not "
        "filled in time";
  } else if (!damage.bad_rows.empty()) {
    found.cause = "uninitialized-memory";
    found.text =
        fmt::format("nobody filled {}{}", rows_text(damage.bad_rows),
                    damage.only_zeros ? ": all of their values are 0" : ", or something else was written there");
    found.advice = "fill the buffer before its first use; after to_empty() compute it again";
  } else {
    found.cause = "isolated-elements";
    found.text = damage.singles == 1 ? "1 element is larger than cos and sin can be"
                                     : fmt::format("{} elements are larger than cos and sin can be", damage.singles);
    found.advice = "look for what wrote there, or for memory that flips bits";
  }
  found.plane = stream.first->plane;
  found.first_row = stream.first->row;
  if (scan.radius() > 0)
    found.evidence.push_back(fmt::format("nearly all pairs (cos, sin) have the length {:.5g}", scan.radius()));
  found.evidence.push_back(fmt::format("{} of {} values are damaged, whatever the formula is; first {:.9g}",
                                       stream.wrong, stream.values, stream.first->got));
  verdict = std::move(found);
  return true;
}

}  // namespace ropewalk::rope
