#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "lib/base/percent.h"
#include "lib/rope/judge_table.h"
#include "reference/rounding.h"

// XPos (flash-attention's RotaryEmbedding with a scale base) multiplies the queries' cos and sin with
// zeta^((position - length / 2) / base), pair by pair, and divides the keys' by it. Tables of keys have a "k" in their
// names. Values of different rows have bounds of different sizes, so that each is looked at by itself.
namespace ropewalk::rope {
namespace {

bool is_of_keys(const CacheTable& table) {
  const std::string& name = table.planes.front().tensor;
  for (size_t at = name.find('k'); at != std::string::npos; at = name.find('k', at + 1)) {
    const bool begins = at == 0 || !std::isalpha(u8(name[at - 1]));
    if (begins && (at + 1 == name.size() || !std::isalpha(u8(name[at + 1])))) return true;
  }
  return false;
}

// What a value of (pair, position) is multiplied with.
using Scale = std::function<double(i64, double)>;

StreamVerdict judge_values(const CacheTable& table, const reference::RopeFrequencies& frequencies,
                           const Rounding& rounding, const PositionRuns& runs, const Scale& scale, double& part) {
  const RopeBounds bounds(frequencies, rounding);
  StreamVerdict verdict;
  verdict.row_is_wrong.assign(size_t(table.rows + 63) / 64, 0);
  verdict.wrong_by_plane.assign(table.planes.size(), 0);
  for (size_t p = 0; p < table.planes.size(); ++p) {
    const Plane& plane = table.planes[p];
    verdict.values += plane.rows * plane.columns;
    for (const PositionRun& run : runs) {
      for (i64 n = 0; n < run.rows; ++n) {
        const i64 row = run.first_row + n, position = run.first_position + n;
        for (i64 column = 0; column < plane.columns; ++column) {
          const i64 pair = plane.pair_of(column);
          const double angle = double(position) * frequencies.frequency[size_t(pair)];
          const double value =
              frequencies.attention * (plane.trig_of(column) == Trig::Cos ? std::cos(angle) : std::sin(angle));
          const double times = scale(pair, double(position));
          // The base and the exponent of the scale are rounded, and pow is right to 4 units in the last place.
          const double scale_error = reference::f32_roundoff * (12 + 4 * std::abs(std::log(times)));
          const double allowed = times * (bounds.of(plane.trig_of(column)).at(pair, double(position), value) +
                                          scale_error * std::abs(value));
          const double got = plane.at(row, column), error = std::abs(got - times * value);
          part = std::max(part, error / allowed);
          if (error <= allowed) continue;
          ++verdict.wrong;
          ++verdict.wrong_by_plane[p];
          if (!verdict.row_wrong(row)) ++verdict.wrong_rows;
          verdict.row_is_wrong[size_t(row / 64)] |= u64(1) << (row % 64);
          const WrongValue wrong{p, row, column, position, got, times * value, allowed};
          if (!verdict.first) verdict.first = wrong;
          if (!verdict.worst || error - allowed > std::abs(verdict.worst->got - verdict.worst->expected)) {
            verdict.worst = wrong;
          }
        }
      }
    }
  }
  return verdict;
}

std::string text_of(const StreamVerdict& verdict) {
  return fmt::format("{}% of the values are within their bound",
                     percent_rounded(1 - double(verdict.wrong) / double(std::max<i64>(verdict.values, 1)), 4));
}

}  // namespace

TableVerdict judge_xpos_table(const CacheTable& table, const TableTask& task) {
  TableVerdict verdict;
  const Suspect suspect = suspect_of(table, task);
  const reference::RopeFrequencies frequencies = reference::rope_frequencies(task.formula, task.formula_rows);
  if (frequencies.pairs() != table.pairs()) {
    verdict.stream.row_is_wrong.assign(size_t(table.rows + 63) / 64, ~u64(0));
    verdict.stream.wrong_by_plane.assign(table.planes.size(), 1);
    verdict.text = fmt::format("the table has {} pairs, the formula has {}", table.pairs(), frequencies.pairs());
    verdict.evidence = {verdict.text};
    return verdict;
  }
  const bool keys = is_of_keys(table);
  const auto scale_for = [&](bool of_keys, i64 rows) -> Scale {
    return [&task, of_keys, rows](i64 pair, double position) {
      const double scale = reference::xpos_scale(task.formula, pair, position, rows);
      return of_keys ? 1 / scale : scale;
    };
  };
  const auto judged = [&](const Scale& scale, double& part) {
    return judge_values(table, frequencies, suspect.rounding, task.runs, scale, part);
  };
  double ignored = 0;
  verdict.stream = judged(scale_for(keys, task.formula_rows), verdict.part);
  verdict.healthy = verdict.stream.healthy();
  if (verdict.healthy) return verdict;
  verdict.plane = verdict.stream.first->plane;
  verdict.first_row = verdict.stream.first->row;
  const auto explain = [&](const Scale& scale, const char* cause, const std::string& text, const char* advice) {
    const StreamVerdict other = judged(scale, ignored);
    if (!verdict.cause.empty() || double(other.wrong) > (1 - explains) * double(other.values)) return;
    // What leaves the wrong values wrong explains nothing.
    if (other.wrong * 10 > verdict.stream.wrong) return;
    verdict.cause = cause;
    verdict.text = text;
    verdict.advice = advice;
    verdict.evidence = {fmt::format("{}: {}", text, text_of(other)),
                        fmt::format("as it should be: {}", text_of(verdict.stream))};
  };
  explain([](i64, double) { return 1.0; }, "scaling-missing", "cos and sin are not multiplied with the scale of XPos",
          "multiply the queries' table with the scale, and divide the keys' by it");
  explain(scale_for(!keys, task.formula_rows), "scaling-wrong-parameter",
          keys ? "the keys' table is multiplied with the scale of XPos, not divided by it"
               : "the queries' table is divided by the scale of XPos, not multiplied with it",
          "multiply the queries' table with the scale, and divide the keys' by it");
  // The scale has its middle at half of the length: rows that stay when a table grows have that of the older length.
  for (i64 rows = 2 * task.formula_rows; rows >= 1 && verdict.cause.empty(); rows /= 2) {
    explain(scale_for(keys, rows), "stale-rows",
            fmt::format("the scale of XPos is that of a table of {} rows, this one has {}", rows, task.formula_rows),
            "rebuild the whole table when it grows: its scale depends on the length");
  }
  if (verdict.cause.empty()) {
    verdict.text = "no cause that is known here explains the table";
    verdict.evidence = {fmt::format("as it should be: {}", text_of(verdict.stream))};
  }
  return verdict;
}

}  // namespace ropewalk::rope
