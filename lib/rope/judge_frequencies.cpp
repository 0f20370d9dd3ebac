#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lib/base/half.h"
#include "lib/base/percent.h"
#include "lib/rope/judge_table.h"
#include "lib/rope/wrong_elements.h"

namespace ropewalk::rope {

using reference::rope_frequencies;
using reference::RopeFrequencies;

namespace {

Fit frequency_fit(const RopeFrequencies& wanted, const FrequencyTensor& tensor) {
  if (wanted.frequency.size() != tensor.values.size()) return {};
  size_t good = 0;
  double squares = 0;
  for (size_t pair = 0; pair < tensor.values.size(); ++pair) {
    const double w = wanted.frequency[pair], error = std::abs(tensor.values[pair] - w);
    good += error <= w * wanted.error[pair] + 0x1p-149;
    const double relative = w > 0 ? std::min(error / w, 1.0) : error > 0 ? 1 : 0;
    squares += std::isnan(relative) ? 1 : relative * relative;
  }
  const double count = double(tensor.values.size());
  return {double(good) / count, std::sqrt(squares / count)};
}

double shortened(double value, Dtype dtype) {
  return dtype == Dtype::F16 ? f16_to_f32(f64_to_f16(value)) : bf16_to_f32(f64_to_bf16(value));
}

// Whether all values are numbers of `dtype` near the right ones, which they need not be.
bool is_rounded(const RopeFrequencies& wanted, const FrequencyTensor& tensor, Dtype dtype) {
  if (wanted.frequency.size() != tensor.values.size()) return false;
  const double unit = dtype == Dtype::BF16 ? 0x1p-8 : 0x1p-11;
  for (size_t pair = 0; pair < tensor.values.size(); ++pair) {
    const double w = wanted.frequency[pair], value = tensor.values[pair];
    if (shortened(value, dtype) != value) return false;
    // Each step of the computation may have been rounded: the exponent's error counts ln(theta) times.
    if (!(std::abs(value - w) <= 24 * unit * w + (dtype == Dtype::F16 ? 0x1p-24 : 0))) return false;
  }
  return true;
}

bool is_right(const RopeFrequencies& wanted, size_t pair, double value) {
  const double w = wanted.frequency[pair];
  return std::abs(value - w) <= w * wanted.error[pair] + 0x1p-149;
}

// Dynamic rope's base for the longest text so far, where no table says how long it was: transformers keeps the grown
// frequencies. The length is a whole number, which the frequencies tell from others.
std::optional<RopeFrequencies> grown_frequencies(const RopeFormula& formula, const FrequencyTensor& tensor) {
  constexpr double most = 16;  // times the trained length; beyond, lengths are too near each other to be told apart
  const double last = double(tensor.values.size()) - 1, d = double(formula.rotary_dim);
  const double trained = double(formula.trained_positions());
  if (formula.type != RopeType::Dynamic || last < 1 || d <= 2 || !(tensor.values.back() > 0)) return std::nullopt;
  const double base = std::pow(tensor.values.back(), -d / (2 * last));
  const double growth = std::pow(base / formula.theta, (d - 2) / d);
  const double length = std::round((growth + formula.factor - 1) * trained / formula.factor);
  if (!(length > trained) || length > most * trained) return std::nullopt;
  const RopeFrequencies grown = rope_frequencies(formula, i64(length));
  return frequency_fit(grown, tensor).share == 1 ? std::optional(grown) : std::nullopt;
}

// The right frequencies at other pairs, each of them once.
bool explain_order(TableVerdict& verdict, const RopeFrequencies& wanted, const FrequencyTensor& tensor) {
  const size_t pairs = tensor.values.size();
  if (wanted.frequency.size() != pairs) return false;
  std::vector<bool> taken(pairs);
  std::vector<std::string> moved;
  for (size_t pair = 0; pair < pairs; ++pair) {
    size_t from = pair;
    if (taken[pair] || !is_right(wanted, pair, tensor.values[pair])) {
      for (from = 0; from < pairs && (taken[from] || !is_right(wanted, from, tensor.values[pair]));) ++from;
      if (from == pairs) return false;
      moved.push_back(fmt::format("pair {} has the frequency of pair {}", pair, from));
    }
    taken[from] = true;
  }
  verdict.cause = "frequency-order";
  verdict.text = moved.size() == 2 ? fmt::format("two frequencies are exchanged: {}", moved[0])
                                   : fmt::format("the frequencies are in another order: {}", moved[0]);
  verdict.advice = "let pair i have the frequency theta^(-2i/d): compare the order of the exponents";
  verdict.evidence = {
      fmt::format("all {} right frequencies are there, {} of them at another pair", pairs, moved.size())};
  for (size_t n = 1; n < moved.size() && n < 4; ++n) verdict.evidence.push_back(moved[n]);
  return true;
}

// A few wrong frequencies among right ones.
bool explain_isolated(TableVerdict& verdict, const RopeFrequencies& wanted, const FrequencyTensor& tensor) {
  const size_t pairs = tensor.values.size();
  std::vector<size_t> wrong;
  for (size_t pair = 0; pair < pairs && pair < wanted.frequency.size(); ++pair) {
    if (!is_right(wanted, pair, tensor.values[pair])) wrong.push_back(pair);
  }
  if (wanted.frequency.size() != pairs || pairs < 8 || wrong.empty() || wrong.size() > 1 + pairs / 32) return false;
  const auto is_finite = [&](size_t pair) { return std::isfinite(tensor.values[pair]); };
  const bool no_number = std::none_of(wrong.begin(), wrong.end(), is_finite);
  size_t with_bit = 0;
  std::string first_bit;
  for (const size_t pair : wrong) {
    const double w = wanted.frequency[pair];
    const std::string bit =
        bit_text(flipped_bits(tensor.values[pair], w, w * wanted.error[pair] + 0x1p-149, tensor.dtype), tensor.dtype);
    with_bit += !bit.empty();
    if (pair == wrong.front()) first_bit = bit;
    verdict.evidence.push_back(
        fmt::format("{}[{}]: {:.9g} in place of {:.9g}", tensor.tensor, pair, tensor.values[pair], w));
  }
  const bool bits = with_bit == wrong.size();
  verdict.cause = bits ? "flipped-bit" : no_number ? "not-a-number" : "isolated-elements";
  verdict.text = fmt::format("{}[{}]{} wrong{}{}", tensor.tensor, wrong.front(),
                             wrong.size() == 1 ? " alone is" : " and others are", bits ? ": " : "", first_bit);
  verdict.advice = "compare the bytes with another copy, and look for what wrote over them after they were made";
  verdict.evidence.push_back(fmt::format("the other {} frequencies are right", pairs - wrong.size()));
  return true;
}

bool is_garbage(const FrequencyTensor& tensor) {
  const auto zero = [](double value) { return value == 0; };
  if (std::all_of(tensor.values.begin(), tensor.values.end(), zero)) return true;
  size_t bad = 0, rises = 0, falls = 0;
  for (size_t pair = 0; pair < tensor.values.size(); ++pair) {
    const double value = tensor.values[pair];
    rises += pair > 0 && value > tensor.values[pair - 1];
    falls += pair > 0 && value < tensor.values[pair - 1];
    bad += !(value >= 0 && value <= 4) || (pair > 0 && value > tensor.values[pair - 1] * 1.01);
  }
  // Values that rise or fall throughout were computed.
  if (tensor.values.size() >= 8 && std::max(rises, falls) + 1 == tensor.values.size()) return false;
  return bad * 10 > tensor.values.size();
}

}  // namespace

RopeFrequencies frequencies_by_axes(const RopeFormula& formula, const RopeFrequencies& plain) {
  size_t sorted = 0;
  if (formula.axes == RopeAxes::VisionInterleaved) sorted = plain.frequency.size();
  if (formula.axes == RopeAxes::Ernie && formula.sections.size() == 3)
    sorted = size_t(formula.sections[0] + formula.sections[1]);
  if (sorted > plain.frequency.size()) return plain;
  RopeFrequencies out = plain;
  for (size_t n = 0, even = 0, odd = (sorted + 1) / 2; n < sorted; ++n) {
    const size_t to = n % 2 == 0 ? even++ : odd++;
    out.frequency[to] = plain.frequency[n];
    out.error[to] = plain.error[n];
  }
  return out;
}

namespace {

// The frequencies of a vision tower are those of one of its axes, of a text with half of the columns, unless they are
// kept once for each axis.
RopeFormula of_one_axis(const RopeFormula& formula, const std::vector<double>& values) {
  RopeFormula one = formula;
  const size_t count = values.size(), pairs = size_t(formula.pairs());
  const bool is_for_each = pairs == count && values[0] == values[count / 2];
  if (formula.axes != RopeAxes::Vision || (pairs != 2 * count && pairs != count) || is_for_each) return one;
  one.axes = RopeAxes::One;
  one.rotary_dim /= 2;
  one.head_dim /= 2;
  return one;
}

}  // namespace

i64 frequencies_kept(const RopeFormula& formula, i64 count) {
  const i64 pairs = formula.pairs();
  if (formula.axes == RopeAxes::Vision && pairs == 2 * count) return count;
  const std::vector<i64>& sections = formula.sections;
  const bool alike = std::adjacent_find(sections.begin(), sections.end(), std::not_equal_to<>()) == sections.end();
  if (formula.axes == RopeAxes::Series && !sections.empty() && alike && sections[0] == count) return count;
  return pairs;
}

TableVerdict judge_frequencies(const FrequencyTensor& tensor, const TableTask& task) {
  TableVerdict verdict;
  verdict.stream.values = i64(tensor.values.size());
  Suspect suspect;
  const RopeFormula formula = of_one_axis(task.formula, tensor.values);
  suspect.expected = formula;
  suspect.recognised = task.recognised;
  suspect.table_rows = task.formula_rows;
  suspect.pairs = i64(tensor.values.size());
  suspect.model_width = task.model_width;
  suspect.measured = tensor.values;
  RopeFrequencies wanted = rope_frequencies(formula, task.formula_rows);
  if (formula.type == RopeType::Dynamic) {
    // The buffer may hold the base of the trained length, which is what short texts are given.
    const RopeFrequencies plain = rope_frequencies(formula, 0);
    if (frequency_fit(plain, tensor).residual < frequency_fit(wanted, tensor).residual) wanted = plain;
    if (task.formula_rows == 0) wanted = grown_frequencies(formula, tensor).value_or(wanted);
  }
  if (formula.type == RopeType::LongRope) {
    // Without a table nothing says which set is meant: either may be.
    RopeFormula other = formula;
    other.long_set = !formula.long_set.value_or(task.formula_rows > formula.trained_positions());
    const RopeFrequencies second = rope_frequencies(other, task.formula_rows);
    if (frequency_fit(second, tensor).residual < frequency_fit(wanted, tensor).residual) wanted = second;
  }
  const size_t kept = size_t(frequencies_kept(formula, i64(tensor.values.size())));
  wanted.frequency.resize(kept);
  wanted.error.resize(kept);
  const RopeFrequencies ordered = frequencies_by_axes(formula, wanted);
  const bool in_order = frequency_fit(wanted, tensor).residual <= frequency_fit(ordered, tensor).residual;
  if (!in_order || formula.axes == RopeAxes::VisionInterleaved) wanted = ordered;
  for (size_t pair = 0; pair < tensor.values.size() && pair < wanted.frequency.size(); ++pair) {
    const double w = wanted.frequency[pair], allowed = w * wanted.error[pair] + 0x1p-149;
    if (std::abs(tensor.values[pair] - w) <= allowed) continue;
    ++verdict.stream.wrong;
    if (!verdict.stream.first) {
      verdict.stream.first = verdict.stream.worst = WrongValue{0, 0, i64(pair), 0, tensor.values[pair], w, allowed};
    }
  }
  const bool is_short = tensor.dtype == Dtype::BF16 || tensor.dtype == Dtype::F16;
  verdict.healthy = verdict.stream.wrong == 0 && wanted.frequency.size() == tensor.values.size() && !is_short;
  if (verdict.healthy) return verdict;
  const Fit own = frequency_fit(wanted, tensor);
  for (const Dtype dtype : {Dtype::BF16, Dtype::F16}) {
    if (!verdict.cause.empty() || !is_rounded(wanted, tensor, dtype) || (is_short && dtype != tensor.dtype)) continue;
    verdict.cause = "inv-freq-rounded";
    verdict.text = fmt::format("the inverse frequencies were rounded to {}", name_of(dtype));
    verdict.advice =
        "keep inv_freq in float32: do not let half(), bfloat16() or to(dtype) cast it, and build the table before the "
        "cast";
    verdict.evidence = {
        fmt::format("every value is a {} number; from the right ones they are up to {:.2g} away, as a part of them",
                    name_of(dtype), own.residual)};
  }
  if (!verdict.cause.empty()) return verdict;
  if (!is_short && (explain_order(verdict, wanted, tensor) || explain_isolated(verdict, wanted, tensor)))
    return verdict;
  for (const Alternative& one : task.known) {
    const Fit fit = frequency_fit(rope_frequencies(*one.formula, task.formula_rows), tensor);
    if (fit.share < 1) continue;
    verdict.cause = one.cause;
    verdict.text = one.text;
    verdict.advice = one.advice;
    verdict.evidence = {fmt::format("{}: all {} frequencies are within the bound", one.text, tensor.values.size()),
                        fmt::format("as it should be: {}% of them are", percent_rounded(own.share, 4))};
    return verdict;
  }
  if (is_garbage(tensor)) {
    verdict.cause = "uninitialized-memory";
    const bool zeros = std::ranges::count(tensor.values, 0.0) == i64(tensor.values.size());
    verdict.text = fmt::format("nobody filled this memory{}: inverse frequencies fall from 1 towards 0, these do not",
                               zeros ? "" : ", or something else was written there");
    verdict.advice = "compute inv_freq again after to_empty(); a buffer that is not persistent no checkpoint repairs";
    verdict.evidence = {fmt::format("first value {:.6g}, expected {:.6g}", tensor.values[0],
                                    wanted.frequency.empty() ? 1.0 : wanted.frequency[0])};
    return verdict;
  }
  std::vector<Alternative> list = formula_alternatives(suspect);
  std::erase_if(list, [](const Alternative& one) {
    return one.cause == "attention-factor" || one.cause == "longrope-wrong-set";
  });
  for (Alternative& one : list) one.fit = frequency_fit(one.model.frequencies, tensor);
  std::stable_sort(list.begin(), list.end(), [](const Alternative& a, const Alternative& b) {
    const bool first = explained(a.fit), second = explained(b.fit);
    if (first != second) return first;
    return first && a.rank != b.rank ? a.rank < b.rank : a.fit.residual < b.fit.residual;
  });
  const auto text_of_one = [](const Alternative& one) {
    return fmt::format("{} [{}]: relative residual {:.2g}, {}% of the frequencies are within the bound", one.text,
                       one.cause, one.fit.residual, percent_rounded(one.fit.share, 4));
  };
  if (!list.empty() && explained(list.front().fit)) {
    verdict.cause = list.front().cause;
    verdict.text = list.front().text;
    verdict.advice = list.front().advice;
  } else {
    verdict.text = "no cause that is known here explains the frequencies";
    // What explains less than half of them, or no more than the right formula, is no candidate.
    std::erase_if(list, [&](const Alternative& one) {
      return one.fit.share < 0.5 || one.fit.share <= own.share || one.fit.residual >= own.residual;
    });
  }
  if (!list.empty()) {
    verdict.evidence.push_back((verdict.cause.empty() ? "candidate: " : "") + text_of_one(list[0]));
    const auto next =
        std::find_if(list.begin() + 1, list.end(), [&](const Alternative& one) { return one.text != list[0].text; });
    if (next != list.end() && !verdict.cause.empty()) verdict.evidence.push_back("next: " + text_of_one(*next));
  }
  verdict.evidence.push_back(fmt::format("as it should be: relative residual {:.2g}", own.residual));
  return verdict;
}

}  // namespace ropewalk::rope
