#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/rope/alternatives.h"
#include "lib/rope/measure.h"

namespace ropewalk {
namespace {

// Positions as they were read off rows: NaN where a row stands at none.
struct Places {
  std::vector<i64> rows;
  std::vector<double> positions;
};

Places places_of(const Suspect& suspect, const TableSample& sample, const RopeFrequencies& frequencies) {
  Places places;
  const double most = 4 * double(std::max<i64>(suspect.table_rows, 4096));
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    const std::optional<double> at = measured_position(sample, n, frequencies, most);
    places.rows.push_back(sample.rows[n]);
    places.positions.push_back(at && std::abs(*at - std::round(*at)) < 0.1 ? std::round(*at) : NAN);
  }
  return places;
}

}  // namespace

std::vector<Alternative> position_alternatives(const Suspect& suspect, const TableSample& sample, i64 first_wrong_row) {
  std::vector<Alternative> list;
  const Model right = model_of(suspect.expected, suspect);
  if (right.frequencies.pairs() < suspect.pairs || !sample.has_cos || !sample.has_sin) return list;
  const Places places = places_of(suspect, sample, right.frequencies);
  const auto place = [position = suspect.position](i64 row) { return position ? position(row) : double(row); };
  const auto add = [&](const char* cause, std::string text, const char* advice, int rank,
                       std::function<double(i64)> position) {
    Model model = right;
    model.position = std::move(position);
    list.push_back({cause, std::move(text), advice, rank, std::move(model), {}, true});
  };
  // One distance between where the rows stand and where they should.
  std::map<i64, size_t> shifts;
  for (size_t n = 0; n < places.rows.size(); ++n) {
    if (!std::isnan(places.positions[n])) ++shifts[i64(places.positions[n] - place(places.rows[n]))];
  }
  std::vector<std::pair<size_t, i64>> common;
  for (const auto& [shift, count] : shifts) {
    if (shift != 0) common.push_back({count, shift});
  }
  std::sort(common.rbegin(), common.rend());
  for (size_t n = 0; n < common.size() && n < 2; ++n) {
    const i64 shift = common[n].second;
    add("position-shift",
        fmt::format("every row stands {} position{} too {}: row 0 is position {}", std::abs(shift),
                    std::abs(shift) == 1 ? "" : "s", shift > 0 ? "far" : "early", i64(place(0)) + shift),
        "add the shard's own offset to the positions, once; begin at 0 where there is none", 1,
        [=](i64 row) { return place(row) + double(shift); });
  }
  // A modulus: the first row that is wrong starts again.
  if (first_wrong_row > 1) {
    const double modulus = double(first_wrong_row);
    add("position-wrap", fmt::format("positions are taken modulo {}", first_wrong_row),
        "do not wrap positions: give the cache as many rows as there are positions", 1,
        [=](i64 row) { return std::fmod(place(row), modulus); });
  }
  // Restarts: each row as far from the last start as it says itself.
  std::map<i64, i64> starts;  // by row: where the numbering began
  bool restarts = true;
  i64 last_start = 0;
  size_t unknown = 0;
  for (size_t n = 0; n < places.rows.size(); ++n) {
    if (std::isnan(places.positions[n])) {
      ++unknown;
      continue;
    }
    const i64 start = places.rows[n] - i64(places.positions[n]);
    restarts &= start >= last_start && start <= places.rows[n];
    last_start = std::max(last_start, start);
    starts[places.rows[n]] = start;
  }
  if (restarts && last_start > 0 && unknown * 50 < places.rows.size() && first_wrong_row > 0) {
    std::map<i64, i64> distinct;
    for (const auto& [row, start] : starts) distinct[start] = row;
    add("position-reset",
        fmt::format("positions begin again at 0 {} times or more, first at row {}, at distances of no one modulus",
                    distinct.size() - (distinct.count(0) ? 1 : 0), first_wrong_row),
        "give each row of the cache its own position; restarts at documents belong to the positions that are looked up",
        2, [starts, place](i64 row) {
          const auto found = starts.find(row);
          return found == starts.end() ? place(row) : double(row - found->second);
        });
  }
  return list;
}

}  // namespace ropewalk
