#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/half.h"
#include "lib/base/percent.h"
#include "lib/rope/judge_table.h"

namespace ropewalk {
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

bool is_garbage(const FrequencyTensor& tensor) {
  const auto zero = [](double value) { return value == 0; };
  if (std::all_of(tensor.values.begin(), tensor.values.end(), zero)) return true;
  size_t bad = 0;
  for (size_t pair = 0; pair < tensor.values.size(); ++pair) {
    const double value = tensor.values[pair];
    bad += !(value >= 0 && value <= 4) || (pair > 0 && value > tensor.values[pair - 1] * 1.01);
  }
  return bad * 10 > tensor.values.size();
}

}  // namespace

TableVerdict judge_frequencies(const FrequencyTensor& tensor, const TableTask& task) {
  TableVerdict verdict;
  verdict.stream.values = i64(tensor.values.size());
  Suspect suspect;
  suspect.expected = task.formula;
  suspect.table_rows = task.formula_rows;
  suspect.pairs = i64(tensor.values.size());
  suspect.measured = tensor.values;
  RopeFrequencies wanted = rope_frequencies(task.formula, task.formula_rows);
  if (task.formula.type == RopeType::Dynamic) {
    // The buffer may hold the base of the trained length, which is what short texts are given.
    const RopeFrequencies plain = rope_frequencies(task.formula, 0);
    if (frequency_fit(plain, tensor).residual < frequency_fit(wanted, tensor).residual) wanted = plain;
  }
  if (task.formula.type == RopeType::LongRope) {
    // Without a table nothing says which set is meant: either may be.
    RopeFormula other = task.formula;
    other.long_set = !task.formula.long_set.value_or(task.formula_rows > task.formula.trained_positions());
    const RopeFrequencies second = rope_frequencies(other, task.formula_rows);
    if (frequency_fit(second, tensor).residual < frequency_fit(wanted, tensor).residual) wanted = second;
  }
  if (task.formula.axes == RopeAxes::Vision && wanted.frequency.size() == 2 * tensor.values.size()) {
    // Both axes have the same frequencies, which are kept once.
    wanted.frequency.resize(tensor.values.size());
    wanted.error.resize(tensor.values.size());
  }
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
  if (is_garbage(tensor)) {
    verdict.cause = "uninitialized-memory";
    verdict.text = "nobody filled this memory: inverse frequencies fall from 1 towards 0, these do not";
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
  const auto told = [](const Alternative& one) {
    return fmt::format("{} [{}]: relative residual {:.2g}, {}% of the frequencies are within the bound", one.text,
                       one.cause, one.fit.residual, percent_rounded(one.fit.share, 4));
  };
  if (!list.empty() && explained(list.front().fit)) {
    verdict.cause = list.front().cause;
    verdict.text = list.front().text;
    verdict.advice = list.front().advice;
  } else {
    verdict.text = "no cause that is known here explains the frequencies";
  }
  for (size_t n = 0; n < list.size() && n < 2; ++n) verdict.evidence.push_back((n ? "next: " : "") + told(list[n]));
  verdict.evidence.push_back(fmt::format("as it should be: relative residual {:.2g}", own.residual));
  return verdict;
}

}  // namespace ropewalk
