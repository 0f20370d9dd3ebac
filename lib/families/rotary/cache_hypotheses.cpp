#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/half.h"
#include "lib/diagnose/output_hypothesis.h"
#include "lib/problem/rotary.h"
#include "reference/rotary.h"

namespace ropewalk::rotary {

using diagnose::Expected;

namespace {

double rounded(double value, Dtype dtype) {
  return dtype == Dtype::BF16 ? double(bf16_to_f32(f32_to_bf16(float(value))))
                              : double(f16_to_f32(f32_to_f16(float(value))));
}

// Both tables of a problem, by the reference; frequencies empty: from theta.
struct Tables {
  Expected cosine, sine;
};
Tables tables_of(const RotaryProblem& problem, const std::vector<double>& frequencies) {
  const u64 count = u64(problem.table_rows() * (problem.width() / 2));
  const auto zeros = [&] { return Expected{std::vector<double>(count), std::vector<double>(count)}; };
  Tables tables{zeros(), zeros()};
  reference::rotary_cache(problem, frequencies.empty() ? nullptr : frequencies.data(),
                          {tables.cosine.value.data(), tables.cosine.bound.data()},
                          {tables.sine.value.data(), tables.sine.bound.data()});
  return tables;
}

// The rows of a longer table that the positions name; nothing is expected of a position without a row.
Expected rows_at(const Expected& table, i64 columns, const std::vector<i64>& positions) {
  Expected out;
  for (const i64 position : positions) {
    for (i64 column = 0; column < columns; ++column) {
      const i64 at = position * columns + column;
      const bool known = at >= 0 && at < i64(table.value.size());
      out.value.push_back(known ? table.value[u64(at)] : 0);
      out.bound.push_back(known ? table.bound[u64(at)] : std::numeric_limits<double>::infinity());
    }
  }
  return out;
}

class Hypotheses {
 public:
  Hypotheses(const RotaryProblem& problem, bool is_sine) : problem_(problem), is_sine_(is_sine) {
    for (i64 pair = 0; pair < pairs(); ++pair) exponents_.push_back(-2.0 * double(pair) / double(problem.width()));
  }

  std::vector<diagnose::OutputHypothesis> all() {
    of_rounding();
    of_frequencies();
    of_signs();
    return std::move(hypotheses_);
  }

 private:
  i64 pairs() const { return problem_.width() / 2; }
  std::vector<double> frequencies() const {
    std::vector<double> out;
    for (const double exponent : exponents_) out.push_back(std::pow(problem_.theta, exponent));
    return out;
  }
  const Expected& own(const Tables& tables) const { return is_sine_ ? tables.sine : tables.cosine; }

  void add(const std::string& cause, const std::string& text, const std::string& advice, Expected expected) {
    hypotheses_.push_back({cause, text, advice, std::move(expected)});
  }

  void of_rounding() {
    const i64 rows = problem_.table_rows();
    for (const Dtype dtype : {Dtype::BF16, Dtype::F16}) {
      std::vector<i64> positions;
      for (i64 row = 0; row < rows; ++row) positions.push_back(i64(rounded(double(row), dtype)));
      RotaryProblem longer = problem_;
      longer.cache_rows = std::max(rows, *std::max_element(positions.begin(), positions.end()) + 1);
      add("positions-rounded", fmt::format("positions are rounded to {} before the angle is computed", name_of(dtype)),
          "keep positions in f32 or in integers; round cos and sin alone",
          rows_at(own(tables_of(longer, {})), pairs(), positions));
      std::vector<double> rounded_frequencies = frequencies();
      for (double& frequency : rounded_frequencies) frequency = rounded(frequency, dtype);
      add("inv-freq-rounded", fmt::format("inverse frequencies are rounded to {}", name_of(dtype)),
          "keep inverse frequencies in f32; round cos and sin alone", own(tables_of(problem_, rounded_frequencies)));
    }
  }

  void of_frequencies() {
    if (problem_.head_dim != problem_.width()) {
      std::vector<double> of_head;
      for (i64 pair = 0; pair < pairs(); ++pair) {
        of_head.push_back(std::pow(problem_.theta, -2.0 * double(pair) / double(problem_.head_dim)));
      }
      add("head-dim-for-rotary-dim", "the exponents are divided by head_dim, not by rotary_dim",
          "the frequency of pair r is theta^(-2 r / rotary_dim)", own(tables_of(problem_, of_head)));
    }
    for (const double theta : {10000.0, 500000.0, 1000000.0}) {
      if (theta == problem_.theta) continue;
      RotaryProblem other = problem_;
      other.theta = theta;
      add("wrong-theta", fmt::format("theta is taken to be {}, and is {}", theta, problem_.theta),
          "read theta from the model's configuration", own(tables_of(other, {})));
    }
    for (const i64 shift : {i64(1), i64(-1)}) {
      RotaryProblem longer = problem_;
      longer.cache_rows = problem_.table_rows() + 1;
      std::vector<i64> positions;
      for (i64 row = 0; row < problem_.table_rows(); ++row) positions.push_back(row + shift);
      add("position-shift", fmt::format("all positions are off by {:+}", shift), "row 0 is that of position 0",
          rows_at(own(tables_of(longer, {})), pairs(), positions));
    }
  }

  void of_signs() {
    Tables tables = tables_of(problem_, {});
    if (is_sine_) {
      Expected negative = tables.sine;
      for (double& value : negative.value) value = -value;
      add("sin-sign", "sin has the other sign", "sin of a positive angle below pi is positive", std::move(negative));
    }
    add("cos-sin-swapped", "cos and sin are exchanged", "hand cos and sin over in the order of the kernel's parameters",
        is_sine_ ? std::move(tables.cosine) : std::move(tables.sine));
  }

  const RotaryProblem& problem_;
  const bool is_sine_;
  std::vector<double> exponents_;  // of theta
  std::vector<diagnose::OutputHypothesis> hypotheses_;
};

}  // namespace

std::vector<diagnose::OutputHypothesis> cache_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                         const diagnose::Scene&) {
  if ((output.name != "cos" && output.name != "sin") || problem.width() < 2) return {};
  if (problem.table_rows() * problem.pairs() > diagnose::most_elements_of_a_guess) return {};
  return Hypotheses(problem, output.name == "sin").all();
}

}  // namespace ropewalk::rotary
