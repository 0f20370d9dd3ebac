#include "lib/rope/smoothness.h"

#include <algorithm>
#include <cmath>

namespace ropewalk::rope {
namespace {

constexpr i64 shortest = 8, most_rows = 512;

// The mean square difference of the ranks of neighbours, as a part of their variance, is 2 where they know nothing of
// each other, with a standard deviation of about 2 / sqrt(values).
constexpr double smooth = 0.3;

// Each value as the number of smaller ones, so that poles weigh no more than other values.
std::vector<double> ranks_of(const std::vector<double>& line) {
  std::vector<double> sorted = line, ranks;
  std::sort(sorted.begin(), sorted.end());
  for (const double value : line)
    ranks.push_back(double(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin()));
  return ranks;
}

struct Lines {
  i64 smooth_ones = 0, telling = 0;

  void add(const std::vector<double>& values) {
    if (i64(values.size()) < shortest) return;
    const auto is_number = [](double value) { return std::isfinite(value); };
    if (!std::all_of(values.begin(), values.end(), is_number)) return void(++telling);
    const std::vector<double> line = ranks_of(values);
    double mean = 0, spread = 0, steps = 0;
    for (const double value : line) mean += value / double(line.size());
    for (size_t n = 0; n < line.size(); ++n) {
      spread += (line[n] - mean) * (line[n] - mean);
      if (n > 0) steps += (line[n] - line[n - 1]) * (line[n] - line[n - 1]);
    }
    if (spread == 0) return;
    ++telling;
    smooth_ones += steps < smooth * spread;
  }
  bool are_smooth() const { return telling > 0 && smooth_ones * 2 > telling; }
};

// The longest stretch of neighbouring wrong rows, up to `most_rows` of it.
std::pair<i64, i64> longest_stretch(const CacheTable& table, const StreamVerdict& stream) {
  i64 best = 0, count = 0;
  for (i64 row = 0, start = 0; row < table.rows; ++row) {
    if (!stream.row_wrong(row)) {
      start = row + 1;
    } else if (row + 1 - start > count) {
      best = start;
      count = row + 1 - start;
    }
  }
  return {best + std::max<i64>(0, count - most_rows) / 2, std::min(count, most_rows)};
}

}  // namespace

bool runs_smoothly(const CacheTable& table, const StreamVerdict& stream, Trig trig) {
  const auto [first, rows] = longest_stretch(table, stream);
  for (const Plane& plane : table.planes) {
    if (plane.column_of(0, trig) < 0) continue;
    Lines along_rows, along_pairs;
    std::vector<std::vector<double>> by_pair(size_t(plane.pairs()));
    for (i64 row = first; row < first + rows; ++row) {
      std::vector<double> line;
      for (i64 pair = 0; pair < plane.pairs(); ++pair) {
        line.push_back(plane.at(row, plane.column_of(pair, trig)));
        by_pair[size_t(pair)].push_back(line.back());
      }
      along_pairs.add(line);
    }
    for (const std::vector<double>& line : by_pair) along_rows.add(line);
    return along_rows.are_smooth() || along_pairs.are_smooth();
  }
  return false;
}

}  // namespace ropewalk::rope
