#include "lib/rope/judge_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/base/percent.h"
#include "lib/rope/judge_cells.h"
#include "lib/rope/measure.h"
#include "lib/rope/storage_faults.h"
#include "lib/rope/words.h"
#include "lib/rope/wrong_elements.h"

namespace ropewalk::rope {
namespace {

constexpr size_t sampled_rows = 160;

// Rows for fitting: telling ones of the whole table, and where few rows are wrong, as many of those.
std::vector<i64> rows_to_fit(const CacheTable& table, const StreamVerdict& stream) {
  std::vector<i64> rows = telling_rows(table.rows, sampled_rows);
  std::vector<i64> wrong;
  for (i64 row = 0; row < table.rows; ++row) {
    if (stream.row_wrong(row)) wrong.push_back(row);
  }
  const size_t step = wrong.size() / 64 + 1;
  for (size_t n = 0; n < wrong.size(); n += step) rows.push_back(wrong[n]);
  if (!wrong.empty()) {
    for (i64 row = wrong.front() - 2; row <= wrong.front() + 2; ++row) {
      if (row >= 0 && row < table.rows) rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// The position of each row; empty where rows are positions.
std::function<double(i64)> position_function(const PositionRuns& runs) {
  if (runs.size() == 1 && runs[0].first_position == 0) return {};
  return [runs](i64 row) {
    const auto after = std::ranges::upper_bound(runs, row, {}, &PositionRun::first_row);
    if (after == runs.begin() || row >= (after - 1)->first_row + (after - 1)->rows) return double(row);
    return double((after - 1)->first_position + row - (after - 1)->first_row);
  };
}

// rows: how many are neighbours from the first on.
void measure(Suspect& suspect, const TableSample& whole, i64 rows) {
  const TableSample sample = whole.filtered([&](i64 row) { return row < rows; });
  suspect.measured.clear();
  if (sample.rows.empty()) return;
  suspect.measured_attention = measured_attention(sample);
  if (suspect.pair_position) return;  // frequencies are read off positions of one axis
  const double attention =
      suspect.measured_attention > 0 ? suspect.measured_attention : reference::rope_attention(suspect.expected);
  const TableSample from_zero = suspect.position ? rotated_back(sample) : sample;
  if (from_zero.rows.empty()) return;
  suspect.measured = measured_frequencies(from_zero, attention, suspect.rounding.coarser());
  // Frequencies that cannot be read are no guide.
  for (const double w : suspect.measured) {
    if (std::isnan(w)) return suspect.measured.clear();
  }
}

// A cause is claimed where its model explains the elements that are wrong, and is nearer to the table than the right
// one.
bool claimed(const Alternative& one, const Fit& own) {
  return explained(one.fit) && repairs(one.repair) && one.fit.residual < own.residual;
}

// Models that fit only because the right one fits as well go behind those that explain what is wrong.
void put_behind(std::vector<Alternative>& list, const Fit& own, const std::vector<WrongPlace>& wrong,
                const Rounding& rounding) {
  for (Alternative& one : list) {
    if (explained(one.fit)) one.repair = repair_of(one.model, wrong, rounding);
  }
  std::stable_partition(list.begin(), list.end(), [&](const Alternative& one) { return claimed(one, own); });
}

// All wrong elements; where they are too many, those of the sample.
std::vector<WrongPlace> evidence_of(const CacheTable& table, const WrongElements& wrong, const Model& right,
                                    const TableSample& sample, const Rounding& rounding) {
  std::vector<WrongPlace> places;
  if (!wrong.complete) places = wrong_places(right, sample, rounding);
  if (!places.empty()) return places;
  for (const WrongValue& one : wrong.list) {
    const Plane& plane = table.planes[one.plane];
    places.push_back({one.row, plane.pair_of(one.column), plane.trig_of(one.column), one.got, one.expected});
  }
  return places;
}

// The next explanation of other words.
const Alternative* next_of(const std::vector<Alternative>& list) {
  const auto other = [&](const Alternative& one) { return one.text != list.front().text; };
  const auto found = std::find_if(list.begin(), list.end(), other);
  return found == list.end() ? nullptr : &*found;
}

// What comes near without being the cause, the best of each kind: at least half of the values, and more than the right
// formula explains.
void add_candidates(TableVerdict& verdict, const std::vector<Alternative>& sorted, const Fit& own) {
  std::set<std::string> reported;
  for (const Alternative& one : sorted) {
    if (one.fit.share < 0.5 || one.fit.share <= own.share || one.fit.residual >= own.residual) continue;
    if (reported.size() == 3 || !reported.insert(one.cause).second) continue;
    verdict.evidence.push_back(fmt::format("candidate: {} [{}]: {}", one.text, one.cause, fit_text(one.fit)));
  }
}

void conclude_with(TableVerdict& verdict, const std::vector<Alternative>& sorted, const Alternative& own) {
  const Alternative& winner = sorted.front();
  const Alternative* runner_up = nullptr;
  for (const Alternative& one : sorted) {
    // What comes to the same table is no other explanation.
    const bool same = one.fit.share == winner.fit.share && std::abs(one.fit.residual - winner.fit.residual) < 1e-12;
    if (!runner_up && one.cause != winner.cause && !same) runner_up = &one;
  }
  if (claimed(winner, own.fit)) {
    verdict.cause = winner.cause;
    verdict.text = winner.text;
    verdict.advice = winner.advice;
    verdict.winner = winner;
    verdict.evidence.push_back(fmt::format("{}: {}", winner.text, fit_text(winner.fit)));
    if (explained(own.fit))
      verdict.evidence.push_back(
          fmt::format("it explains {}% of the elements that are wrong, and leaves {:.2g} of their "
                      "distance",
                      percent_rounded(winner.repair.share, 4), winner.repair.left));
    if (runner_up)
      verdict.evidence.push_back(
          fmt::format("next: {} [{}]: {}", runner_up->text, runner_up->cause, fit_text(runner_up->fit)));
  } else {
    verdict.text = "no cause that is known here explains the table";
    add_candidates(verdict, sorted, own.fit);
  }
  verdict.evidence.push_back(fmt::format("as it should be: {}", fit_text(own.fit)));
}

// The pairs with wrong values, of a list of wrong elements.
std::vector<i64> pairs_of(const CacheTable& table, const WrongElements& wrong) {
  std::vector<i64> pairs;
  for (const WrongValue& one : wrong.list) pairs.push_back(table.planes[one.plane].pair_of(one.column));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<Alternative> all_alternatives(const Suspect& suspect, const TableSample& sample, i64 first_wrong_row,
                                          const std::vector<i64>& wrong_pairs, const CacheTable& table) {
  std::vector<Alternative> list = function_alternatives(suspect, sample.has_cos && sample.has_sin);
  const auto take = [&](std::vector<Alternative> more) {
    for (Alternative& one : more) list.push_back(std::move(one));
  };
  take(formula_alternatives(suspect));
  take(order_alternatives(suspect, wrong_pairs));
  take(one_sided_alternatives(suspect, sample));
  take(precision_alternatives(suspect, sample.rows.back()));
  take(turn_alternatives(suspect, table, sample.rows.back()));
  take(suspect.pair_position ? axis_alternatives(suspect, table)
                             : position_alternatives(suspect, sample, first_wrong_row, table));
  return list;
}

// Where the wrong rows are one stretch at the start or the end of the table, they are explained by themselves.
struct Stretch {
  i64 first = 0, end = 0;  // rows
  bool prefix = false;
};
std::optional<Stretch> stretch_of(const CacheTable& table, const StreamVerdict& stream) {
  i64 first = -1, last = -1;
  for (i64 row = 0; row < table.rows; ++row) {
    if (!stream.row_wrong(row)) continue;
    if (first < 0) first = row;
    last = row;
  }
  const i64 enough = std::max<i64>(2, table.rows / 50);
  // The first rows of a table are near to those of any other formula.
  if (table.rows - 1 - last >= enough) return Stretch{0, last + 1, true};
  if (first >= enough) return Stretch{first, table.rows, false};
  return std::nullopt;
}

bool explain_stretch(TableVerdict& verdict, const CacheTable& table, const TableTask& task, const Suspect& whole,
                     const TableSample& sample, std::vector<WrongPlace> wrong) {
  const std::optional<Stretch> stretch = stretch_of(table, verdict.stream);
  if (!stretch) return false;
  const TableSample part = sample.filtered([&](i64 row) { return row >= stretch->first && row < stretch->end; });
  if (part.rows.size() < 2) return false;
  Suspect suspect = whole;
  suspect.measured.clear();
  if (stretch->prefix) measure(suspect, part, stretch->end);
  suspect.table_rows = stretch->prefix ? stretch->end : task.formula_rows;
  std::vector<Alternative> list = formula_alternatives(suspect);
  if (stretch->prefix) {
    // The same formula for a shorter table, which is what dynamic rope and longrope leave behind when they grow.
    list.push_back({"",
                    fmt::format("the formula for a table of {} rows", stretch->end),
                    "",
                    1,
                    model_of(task.formula, suspect),
                    {}});
    for (i64 rows = task.formula_rows / 2; rows >= 1 && task.formula.type == RopeType::Dynamic; rows /= 2) {
      suspect.table_rows = rows;
      list.push_back(
          {"", fmt::format("the formula for a table of {} rows", rows), "", 2, model_of(task.formula, suspect), {}});
    }
  }
  fit_and_sort(list, part, whole.rounding);
  std::erase_if(wrong, [&](const WrongPlace& one) { return one.row < stretch->first || one.row >= stretch->end; });
  const Fit own = fit_of(model_of(whole.expected, whole), part, whole.rounding);
  put_behind(list, own, wrong, whole.rounding);
  if (list.empty() || !claimed(list.front(), own)) return false;
  const Alternative& winner = list.front();
  verdict.cause = stretch->prefix ? "stale-rows" : winner.cause;
  verdict.text = stretch->prefix
                     ? fmt::format("rows 0 to {} are left from an older table ({}); the rest is as it should be",
                                   stretch->end - 1, winner.text)
                     : fmt::format("from row {} on: {}", stretch->first, winner.text);
  verdict.advice = stretch->prefix ? "rebuild the whole cache when it grows or its formula changes" : winner.advice;
  verdict.evidence.push_back(
      fmt::format("rows {} to {}: {}: {}", stretch->first, stretch->end - 1, winner.text, fit_text(winner.fit)));
  if (const Alternative* next = next_of(list))
    verdict.evidence.push_back(fmt::format("next: {}: {}", next->text, fit_text(next->fit)));
  verdict.evidence.push_back(
      fmt::format("the other {} rows are within their bound", table.rows - verdict.stream.wrong_rows));
  return true;
}

// One function is right, and the other is that of another formula.
bool explain_one_function(TableVerdict& verdict, const TableTask& task, const Suspect& whole, const TableSample& sample,
                          const std::vector<WrongPlace>& wrong) {
  if (!sample.has_cos || !sample.has_sin) return false;
  const Model right = model_of(whole.expected, whole);
  for (const Trig good : {Trig::Cos, Trig::Sin}) {
    const bool is_cos = good == Trig::Cos;
    if (std::ranges::any_of(wrong, [&](const WrongPlace& one) { return one.trig == good; })) continue;
    TableSample other = sample;
    (is_cos ? other.has_cos : other.has_sin) = false;
    Suspect suspect = whole;
    measure(suspect, other, task.runs.front().rows);
    std::vector<Alternative> list = formula_alternatives(suspect);
    fit_and_sort(list, other, whole.rounding);
    const Fit own = fit_of(right, other, whole.rounding);
    put_behind(list, own, wrong, whole.rounding);
    if (list.empty() || !claimed(list.front(), own)) return false;
    const Alternative& winner = list.front();
    verdict.cause = winner.cause;
    verdict.text =
        fmt::format("{} is right, and of {}: {}", is_cos ? "cos" : "sin", is_cos ? "sin" : "cos", winner.text);
    verdict.advice = "compute cos and sin from the same angles";
    verdict.evidence.push_back(
        fmt::format("{} alone: {}: {}", is_cos ? "sin" : "cos", winner.text, fit_text(winner.fit)));
    verdict.evidence.push_back(fmt::format("as it should be: {}", fit_text(own)));
    return true;
  }
  return false;
}

}  // namespace

std::string fit_text(const Fit& fit) {
  return fmt::format("residual {:.2g}, {}% of the sampled values are within its bound", fit.residual,
                     percent_rounded(fit.share, 4));
}

Suspect suspect_of(const CacheTable& table, const TableTask& task) {
  Suspect suspect;
  suspect.expected = task.formula;
  suspect.recognised = task.recognised;
  suspect.table_rows = task.formula_rows;
  suspect.pairs = table.pairs();
  suspect.model_width = task.model_width;
  suspect.rounding = rounding_of(table);
  suspect.position = position_function(task.runs);
  if (task.at_cells) suspect.pair_position = positions_in(table.given_cells, task.formula);
  if (task.image) {
    suspect.image = task.image;
    suspect.pair_position = positions_in(*task.image, task.formula);
  }
  if (table.long_part) suspect.expected.long_set = table.long_part;
  // The length decides, and the attention factor may be that of the set.
  if (task.formula.short_mscale && !suspect.expected.long_set)
    suspect.expected.long_set = suspect.table_rows > suspect.expected.trained_positions();
  return suspect;
}

double quick_share(const CacheTable& table, const TableTask& task) {
  const Suspect suspect = suspect_of(table, task);
  const TableSample sample = sample_of(table, telling_rows(table.rows, 24));
  return fit_of(model_of(suspect.expected, suspect), sample, suspect.rounding).share;
}

TableVerdict judge_table(const CacheTable& table, const TableTask& task) {
  if (task.formula.xpos_scale_base) return judge_xpos_table(table, task);
  TableVerdict verdict;
  Suspect suspect = suspect_of(table, task);
  const Model right = model_of(suspect.expected, suspect);
  const bool same_width = right.frequencies.pairs() == table.pairs();
  if (same_width) {
    verdict.stream = task.by_cells()
                         ? compare_cells(table, right, suspect.rounding)
                         : stream_table(table, right.frequencies, suspect.rounding, task.runs, task.threads);
    if (verdict.stream.healthy()) {
      verdict.healthy = true;
      verdict.part = largest_part(right, sample_of(table, telling_rows(table.rows, sampled_rows)), suspect.rounding);
      return verdict;
    }
  } else {
    verdict.stream.row_is_wrong.assign(size_t(table.rows + 63) / 64, ~u64(0));
    verdict.stream.wrong_rows = table.rows;
    verdict.stream.wrong_by_plane.assign(table.planes.size(), 1);
  }
  verdict.first_row = verdict.stream.first ? verdict.stream.first->row : 0;
  verdict.plane = verdict.stream.first ? verdict.stream.first->plane : 0;
  const TableSample sample = sample_of(table, rows_to_fit(table, verdict.stream));
  measure(suspect, sample, task.runs.front().rows);
  const WrongElements wrong =
      same_width ? wrong_elements(table, right, suspect.rounding, verdict.stream) : WrongElements();
  if (same_width && explain_not_a_number(verdict, table, wrong)) return verdict;
  if (same_width && explain_rounded(verdict, table, right, wrong)) return verdict;
  if (same_width && explain_cut_off(verdict, table, right, suspect.rounding.coarser())) return verdict;
  const Alternative own{"", "", "", 0, right, fit_of(right, sample, suspect.rounding)};
  // A factor on one function alone, or one of them in both places, bends the circles, which garbage does as well.
  std::vector<Alternative> bent = one_sided_alternatives(suspect, sample);
  for (Alternative& one : function_alternatives(suspect, sample.has_cos && sample.has_sin))
    bent.push_back(std::move(one));
  fit_and_sort(bent, sample, suspect.rounding);
  const std::vector<WrongPlace> places = evidence_of(table, wrong, right, sample, suspect.rounding);
  if (same_width) put_behind(bent, own.fit, places, suspect.rounding);
  const bool is_bent = !bent.empty() && claimed(bent.front(), own.fit);
  const bool isolated = same_width && are_isolated(table, verdict.stream, wrong);
  if (same_width && !is_bent && !isolated && explain_storage(verdict, table, suspect, sample)) return verdict;
  if (!same_width && explain_garbage(verdict, table, suspect, sample)) return verdict;

  std::vector<Alternative> list = all_alternatives(suspect, sample, verdict.first_row, pairs_of(table, wrong), table);
  for (Alternative one : task.known) {
    one.model = model_of(*one.formula, suspect);
    if (one.model.frequencies.pairs() >= suspect.pairs) list.push_back(std::move(one));
  }
  fit_and_sort(list, sample, suspect.rounding);
  if (same_width) put_behind(list, own.fit, places, suspect.rounding);
  const bool is_claimed = claimed(list.front(), own.fit);
  if (isolated && !is_claimed) {
    explain_isolated(verdict, table, wrong);
    return verdict;
  }
  if (same_width && !is_claimed && explain_one_function(verdict, task, suspect, sample, places)) return verdict;
  if (same_width && !is_claimed && explain_stretch(verdict, table, task, suspect, sample, places)) return verdict;
  conclude_with(verdict, list, own);
  if (!verdict.cause.empty() || !same_width) return verdict;
  const std::string positions = task.by_cells() ? "" : positions_text(suspect, sample, verdict.first_row, table);
  for (const std::string& text : {columns_text(table, wrong), positions}) {
    if (!text.empty()) verdict.evidence.insert(verdict.evidence.begin(), text);
  }
  return verdict;
}

}  // namespace ropewalk::rope
