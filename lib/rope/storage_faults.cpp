#include "lib/rope/storage_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/percent.h"
#include "lib/rope/measure.h"
#include "lib/rope/smoothness.h"

namespace ropewalk::rope {
namespace {

constexpr const char* fill_advice =
    "build the cache after the memory is there: reset_parameters must rebuild it after to_empty(), whatever it holds";

// How well each function is explained alone.
struct Functions {
  Fit cos, sin;
};
Functions fit_functions(const Model& model, const TableSample& sample, const Rounding& rounding) {
  TableSample cosine = sample, sine = sample;
  cosine.has_sin = sine.has_cos = false;
  return {sample.has_cos ? fit_of(model, cosine, rounding) : Fit{},
          sample.has_sin ? fit_of(model, sine, rounding) : Fit{}};
}

bool all_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

// What values that are no table look like: "values up to 0.014, 3 NaN, ...".
std::string look_of(const TableSample& sample) {
  double largest = 0;
  i64 nan = 0, zero = 0, count = 0;
  for (const auto* list : {&sample.cosine, &sample.sine}) {
    for (const double value : *list) {
      ++count;
      if (std::isnan(value)) ++nan;
      if (value == 0) ++zero;
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  if (zero == count) return "every value is zero";
  std::string out = fmt::format("values up to {:.3g}", largest);
  if (nan) out += fmt::format(", {}% NaN", percent_rounded(double(nan) / double(count), 3));
  if (zero * 20 > count) out += fmt::format(", {}% zeros", percent_rounded(double(zero) / double(count), 3));
  return out;
}

// Values that no cosine or sine takes, for tables with one function: too large, no number, smaller than the sine of the
// smallest angle that any base gives (but 0), or never near the top but for those.
bool cannot_be_trig(const std::vector<double>& values, double attention) {
  constexpr double smallest = 1e-20;
  if (values.empty()) return false;
  double largest = 0;
  size_t outside = 0;
  for (const double value : values) {
    const double size = std::abs(value);
    const bool possible = size <= 1.02 * attention && (size == 0 || size >= smallest);
    outside += !possible;
    if (possible) largest = std::max(largest, size);
  }
  return outside * 20 > values.size() || largest < 0.5 * attention;
}

void garbage(TableVerdict& verdict, std::string text, std::vector<std::string> evidence) {
  verdict.cause = "uninitialized-memory";
  verdict.text = std::move(text);
  verdict.advice = fill_advice;
  for (std::string& one : evidence) verdict.evidence.push_back(std::move(one));
}

// Numbers of ordinary size, as somebody may have written them; memory that nobody filled may hold such, too.
bool look_written(const std::vector<double>& values) {
  const auto ordinary =
      std::ranges::count_if(values, [](double value) { return std::abs(value) > 1e-8 && std::abs(value) < 1e3; });
  return size_t(ordinary) * 20 >= values.size() * 19;
}

// "nobody filled row 7", which is all that is claimed where no number looks written.
std::string garbage_text(const std::string& what, const TableSample& values) {
  const std::string text = "nobody filled " + what;
  const bool written = look_written(values.cosine) && look_written(values.sine);
  return written ? "no cos and sin of any angles: " + text + ", or something else was written there" : text;
}

// How many of the rows are angles of the amplitude: no memory that nobody filled looks like that.
double share_of_turning_rows(const TableSample& sample, double attention) {
  size_t turning = 0;
  for (const i64 row : sample.rows)
    turning += share_on_circle(sample.filtered([&](i64 other) { return other == row; }), attention) > 0.6;
  return double(turning) / double(sample.rows.size());
}

// What nobody filled: "this memory", "this memory from row 5 on", "row 7", "rows 7 to 11", "3 rows from 7 to 90".
std::string unfilled(const TableVerdict& verdict, const CacheTable& table) {
  i64 first = -1, last = -1, count = 0;
  for (i64 row = 0; row < table.rows; ++row) {
    if (!verdict.stream.row_wrong(row)) continue;
    if (first < 0) first = row;
    last = row;
    ++count;
  }
  if (count == table.rows) return "this memory";
  // Of rows that nobody filled a few may be right by chance.
  if (last == table.rows - 1 && count > 1 && count * 10 >= (last - first + 1) * 9)
    return fmt::format("this memory from row {} on", first);
  if (count == 1) return fmt::format("row {}", first);
  if (last - first + 1 == count) return fmt::format("rows {} to {}", first, last);
  return fmt::format("{} rows from {} to {}", count, first, last);
}

// The other layout of repeated columns, or of cos and sin in one row.
std::optional<ColumnLayout> other_layout(ColumnLayout layout) {
  switch (layout) {
    case ColumnLayout::RepeatedHalf:
      return ColumnLayout::RepeatedPairs;
    case ColumnLayout::RepeatedPairs:
      return ColumnLayout::RepeatedHalf;
    case ColumnLayout::CosSinHalves:
      return ColumnLayout::CosSinPairs;
    case ColumnLayout::CosSinPairs:
      return ColumnLayout::CosSinHalves;
    default:
      return std::nullopt;
  }
}

// Whether every value of a row is what the model says in this layout.
bool row_is(const Plane& plane, ColumnLayout layout, const Model& model, const RopeBounds& bounds, i64 row) {
  Plane seen = plane;
  seen.layout = layout;
  i64 good = 0;
  for (i64 column = 0; column < seen.columns; ++column) {
    const i64 pair = seen.pair_of(column);
    const double angle = model.angle_at(row, pair);
    const double expected =
        model.frequencies.attention * (seen.trig_of(column) == Trig::Cos ? std::cos(angle) : std::sin(angle));
    good += std::abs(seen.at(row, column) - expected) <=
            bounds.of(seen.trig_of(column)).at(pair, model.position_at(row, pair), expected);
  }
  return double(good) >= explains * double(seen.columns);
}

bool explain_layout(TableVerdict& verdict, const CacheTable& table, const Model& right, const Suspect& suspect,
                    const TableSample& sample) {
  const RopeBounds bounds(right.frequencies, suspect.rounding);
  for (const Plane& plane : table.planes) {
    const std::optional<ColumnLayout> other = other_layout(plane.layout);
    if (!other) continue;
    i64 own_rows = 0, other_rows = 0, neither = 0, first_other = -1;
    for (const i64 row : sample.rows) {
      if (row_is(plane, plane.layout, right, bounds, row)) {
        ++own_rows;
      } else if (row_is(plane, *other, right, bounds, row)) {
        ++other_rows;
        if (first_other < 0) first_other = row;
      } else {
        ++neither;
      }
    }
    if (other_rows == 0 || neither > 0) continue;
    verdict.cause = "layout-mixup";
    verdict.text = fmt::format("rows are in two layouts: {} rows of the sample {}, {} rows {} (first row {})", own_rows,
                               name_of(plane.layout), other_rows, name_of(*other), first_other);
    verdict.advice = "fill all rows in the layout that the rotation reads";
    verdict.evidence.push_back(
        fmt::format("{}: each row read in its own layout is within its bound; in one layout {}% of the rows are",
                    plane.tensor, percent_rounded(double(own_rows) / double(own_rows + other_rows), 4)));
    return true;
  }
  return false;
}

}  // namespace

bool explain_garbage(TableVerdict& verdict, const CacheTable& table, const Suspect& suspect,
                     const TableSample& sample) {
  const TableSample wrong = sample.filtered([&](i64 row) { return verdict.stream.row_wrong(row); });
  if (wrong.rows.empty()) return false;
  const double attention = reference::rope_attention(suspect.expected);
  if (sample.has_cos && sample.has_sin) {
    // A table of another amplitude is no garbage: all of its pairs have one length.
    const double middle = measured_attention(wrong);
    const double expected_share = share_on_circle(wrong, attention);
    const bool has_middle = middle > 0.2 && middle < 10;
    const double own_share = has_middle ? share_on_circle(wrong, middle) : 0;
    if (std::max({expected_share, own_share, share_on_ellipse(wrong)}) > 0.6) return false;
    if (share_of_turning_rows(wrong, attention) > 0.1) return false;
    if (has_middle && share_of_turning_rows(wrong, middle) > 0.1) return false;
    // One function is right, and the other may be one: something was computed.
    const Functions functions = fit_functions(model_of(suspect.expected, suspect), wrong, suspect.rounding);
    if (explained(functions.cos) && !cannot_be_trig(wrong.sine, attention)) return false;
    if (explained(functions.sin) && !cannot_be_trig(wrong.cosine, attention)) return false;
    if (!explained(functions.cos) && runs_smoothly(table, verdict.stream, Trig::Cos)) return false;
    if (!explained(functions.sin) && runs_smoothly(table, verdict.stream, Trig::Sin)) return false;
    garbage(verdict, garbage_text(unfilled(verdict, table), wrong),
            {fmt::format("cos^2 + sin^2 is not {:.4g} in {}% of the wrong rows' pairs: no angles explain that",
                         attention * attention, percent_rounded(1 - expected_share, 3)),
             look_of(wrong)});
  } else {
    const std::vector<double>& values = sample.has_cos ? wrong.cosine : wrong.sine;
    if (!cannot_be_trig(values, attention)) return false;
    if (runs_smoothly(table, verdict.stream, sample.has_cos ? Trig::Cos : Trig::Sin)) return false;
    garbage(verdict, garbage_text(unfilled(verdict, table), wrong), {look_of(wrong)});
  }
  if (verdict.stream.wrong_rows < table.rows) {
    verdict.evidence.push_back(fmt::format("{} of {} rows {} wrong", verdict.stream.wrong_rows, table.rows,
                                           verdict.stream.wrong_rows == 1 ? "is" : "are"));
  }
  return true;
}

bool explain_real_part(TableVerdict& verdict, const CacheTable& table) {
  const Plane& plane = table.planes.front();
  if (table.planes.size() != 1 || plane.holds_both() || plane.tensor.find("cis") == std::string::npos) return false;
  verdict.cause = "imaginary-lost";
  verdict.text = "the tensor is real and holds cos alone: the imaginary part, sin, was lost";
  verdict.advice = "do not cast complex numbers to a real dtype; keep freqs_cis complex, or store cos and sin";
  verdict.evidence = {fmt::format("every value of {} is cos of its angle", plane.tensor)};
  return true;
}

bool explain_storage(TableVerdict& verdict, const CacheTable& table, const Suspect& suspect,
                     const TableSample& sample) {
  const Model right = model_of(suspect.expected, suspect);
  const Functions own = fit_functions(right, sample, suspect.rounding);
  const auto plane_of = [&](Trig trig) {
    for (size_t p = 0; p < table.planes.size(); ++p) {
      if (table.planes[p].column_of(0, trig) >= 0) return p;
    }
    return size_t(0);
  };
  if (sample.has_cos && sample.has_sin && explained(own.cos) && all_zero(sample.sine)) {
    verdict.cause = "imaginary-lost";
    verdict.text = "sin is zero everywhere and cos is right: the imaginary part was lost";
    verdict.advice = "do not cast complex numbers to a real dtype; keep freqs_cis complex, or store cos and sin";
    verdict.plane = plane_of(Trig::Sin);
    verdict.evidence = {fmt::format("cos: {}", fit_text(own.cos)), fmt::format("sin: {}", fit_text(own.sin))};
    return true;
  }
  if (explain_layout(verdict, table, right, suspect, sample)) return true;
  // One function is right and the other no sine or cosine at all.
  for (const Trig good : {Trig::Cos, Trig::Sin}) {
    const Fit& fit = good == Trig::Cos ? own.cos : own.sin;
    const Fit& other = good == Trig::Cos ? own.sin : own.cos;
    const std::vector<double>& values = good == Trig::Cos ? sample.sine : sample.cosine;
    if (!sample.has_cos || !sample.has_sin || !explained(fit) || explained(other)) continue;
    if (!cannot_be_trig(values, right.frequencies.attention)) continue;
    if (runs_smoothly(table, verdict.stream, good == Trig::Cos ? Trig::Sin : Trig::Cos)) continue;
    verdict.plane = plane_of(good == Trig::Cos ? Trig::Sin : Trig::Cos);
    garbage(verdict,
            fmt::format("nobody filled {}{}; {} is right", good == Trig::Cos ? "sin" : "cos",
                        look_written(values) ? ", or something else was written there" : "",
                        good == Trig::Cos ? "cos" : "sin"),
            {fmt::format("the right one: {}", fit_text(fit)), fmt::format("the other: {}", fit_text(other))});
    return true;
  }
  return explain_garbage(verdict, table, suspect, sample);
}

}  // namespace ropewalk::rope
