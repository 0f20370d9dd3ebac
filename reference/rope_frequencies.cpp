#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/rope_table.h"
#include "reference/rounding.h"

// Errors are first order, in units of the roundoff u of float32, and never smaller than what the steps below add up to.
namespace ropewalk::reference {
namespace {

constexpr double u = f32_roundoff;

// theta^(-x) for x = 2 i / d. As 1 / pow(theta, x): x is rounded (u, times ln theta), pow is right to 4 units in the
// last place (8 u; CUDA C++ Programming Guide), and the quotient rounded (u). As exp(-x ln theta): ln theta, x and
// their product are rounded, 3 u of the exponent, and exp is right to 2 units. The larger of the two is allowed.
double power_error(double exponent, double theta) {
  if (exponent == 0) return 0;  // 1 in either way
  return u * (9 + 3 * std::abs(exponent * std::log(theta)));
}

// 0.1 m ln(s) + 1: the temperature of yarn (Peng et al. 2023, section 3.4).
double yarn_temperature(double factor, double mscale) { return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1; }

// Llama 3.1: wavelengths above the trained length / low are divided by the factor, those below length / high are kept,
// and between them the two are mixed.
void smooth_llama3(const RopeFormula& formula, RopeFrequencies& out) {
  const double length = double(formula.trained_positions());
  const double low = formula.low_freq_factor, high = formula.high_freq_factor;
  for (size_t i = 0; i < out.frequency.size(); ++i) {
    double& w = out.frequency[i];
    const double turns = length * w / (2 * std::numbers::pi);  // of this pair within the trained length
    if (turns > high) continue;
    if (turns < low) {
      w /= formula.factor;
      out.error[i] += 2 * u;
      continue;
    }
    const double kept = high > low ? (turns - low) / (high - low) : 1;
    const double mixed = (1 - kept) * w / formula.factor + kept * w;
    // The wavelength, the quotient and the difference are rounded before the division by high - low.
    const double kept_error = high > low ? turns * (out.error[i] + 4 * u) / (high - low) + 2 * u : 0;
    const double spread = std::abs(1 - 1 / formula.factor) * w;
    out.error[i] += 4 * u + kept_error * spread / mixed;
    w = mixed;
  }
}

void ramp_yarn(const RopeFormula& formula, RopeFrequencies& out) {
  const YarnRamp ramp = yarn_ramp(formula);
  const double high = ramp.high == ramp.low ? ramp.low + 0.001 : ramp.high;
  for (size_t i = 0; i < out.frequency.size(); ++i) {
    double& w = out.frequency[i];
    const double slope = 1 / (high - ramp.low);
    const double scaled = std::clamp((double(i) - ramp.low) * slope, 0.0, 1.0);
    const double mixed = w / formula.factor * scaled + w * (1 - scaled);
    const bool inside = scaled > 0 && scaled < 1;
    const double scaled_error = inside ? u * (double(i) + std::abs(ramp.low) + std::abs(high)) * slope + 3 * u : 0;
    out.error[i] += 5 * u + scaled_error * std::abs(1 - 1 / formula.factor) * w / mixed;
    w = mixed;
  }
}

// Where each axis has a series of its own: the part of the way that pair i has gone through the series it is in.
double series_exponent(const RopeFormula& formula, i64 i) {
  for (const i64 section : formula.sections) {
    if (i < section) return double(i) / double(section);
    i -= section;
  }
  return 0;
}

void divide_all(double by, RopeFrequencies& out) {
  for (double& w : out.frequency) w /= by;
  for (double& error : out.error) error += 2 * u;
}

}  // namespace

double rope_base(const RopeFormula& formula, i64 rows) {
  const double d = double(formula.rotary_dim), exponent = d / (d - 2);
  if (d <= 2) return formula.theta;
  switch (formula.type) {
    case RopeType::Dynamic: {
      const double trained = double(formula.trained_positions());
      if (trained <= 0 || double(rows) <= trained) return formula.theta;
      return formula.theta * std::pow(formula.factor * double(rows) / trained - (formula.factor - 1), exponent);
    }
    case RopeType::DynamicAlpha:
      return formula.theta * std::pow(formula.alpha, exponent);
    case RopeType::Ntk:
      return formula.theta * formula.factor;
    default:
      return formula.theta;
  }
}

double rope_attention(const RopeFormula& formula) {
  switch (formula.type) {
    case RopeType::Yarn:
    case RopeType::DeepseekYarn:
      if (formula.attention_factor) return *formula.attention_factor;
      if (formula.mscale && formula.mscale_all_dim && *formula.mscale != 0 && *formula.mscale_all_dim != 0) {
        return yarn_temperature(formula.factor, *formula.mscale) /
               yarn_temperature(formula.factor, *formula.mscale_all_dim);
      }
      if (formula.type == RopeType::DeepseekYarn) {
        return yarn_temperature(formula.factor, formula.mscale.value_or(1)) /
               yarn_temperature(formula.factor, formula.mscale_all_dim.value_or(0));
      }
      return yarn_temperature(formula.factor, 1);
    case RopeType::LongRope: {
      if (formula.long_mscale && formula.long_set.value_or(true)) return *formula.long_mscale;
      if (formula.short_mscale && !formula.long_set.value_or(true)) return *formula.short_mscale;
      if (formula.attention_factor) return *formula.attention_factor;
      const double trained = double(formula.trained_positions());
      if (formula.factor <= 1 || trained <= 1) return 1;
      return std::sqrt(1 + std::log(formula.factor) / std::log(trained));
    }
    default:
      return formula.attention_factor.value_or(1);
  }
}

YarnRamp yarn_ramp(const RopeFormula& formula) {
  const double d = double(formula.rotary_dim), length = double(formula.trained_positions());
  if (length <= 0) return {};
  // The pair that makes so many rotations within the trained length.
  const auto pair_of = [&](double rotations) {
    return d * std::log(length / (rotations * 2 * std::numbers::pi)) / (2 * std::log(formula.theta));
  };
  double low = pair_of(formula.beta_fast), high = pair_of(formula.beta_slow);
  if (formula.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  return {std::max(low, 0.0), std::min(high, d - 1)};
}

RopeFrequencies rope_frequencies(const RopeFormula& formula, i64 rows) {
  RopeFrequencies out;
  RopeFormula of_set = formula;
  of_set.long_set = formula.long_set.value_or(rows > formula.trained_positions());
  out.attention = rope_attention(of_set);
  const double base = rope_base(formula, rows);
  const bool proportional = formula.type == RopeType::Proportional;
  const bool vision = formula.axes == RopeAxes::Vision, alternating = formula.axes == RopeAxes::VisionAlternating;
  const i64 pairs = formula.pairs(), turning = proportional ? formula.rotary_dim / 2 : pairs;
  // Vision towers of two kinds have the same frequencies, over half of the width, for both of their axes.
  const i64 distinct = vision || alternating ? pairs / 2 : pairs;
  const double width = proportional ? double(formula.head_dim) : 2.0 * double(distinct);
  for (i64 i = 0; i < pairs; ++i) {
    const i64 of_axis = vision ? i % std::max<i64>(distinct, 1) : alternating ? i / 2 : i;
    double exponent = 2.0 * double(of_axis) / width;
    if (formula.axes == RopeAxes::Series) exponent = series_exponent(formula, i);
    out.frequency.push_back(i < turning ? std::pow(base, -exponent) : 0.0);
    out.error.push_back(power_error(exponent, base));
  }
  switch (formula.type) {
    case RopeType::Linear:
    case RopeType::Proportional:
      divide_all(formula.factor, out);
      break;
    case RopeType::Ntk:
      divide_all(std::pow(formula.factor, 2.0 / double(formula.rotary_dim)), out);
      break;
    case RopeType::MixedNtk: {
      const double a = std::log(formula.factor) / std::pow(double(formula.rotary_dim) / 2, formula.mixed_b);
      for (i64 i = 0; i < pairs; ++i) {
        const double y = a * std::pow(double(i + 1), formula.mixed_b);
        out.frequency[size_t(i)] /= std::exp(y);
        out.error[size_t(i)] += u * (6 + 12 * std::abs(y));  // the power, its product and the exponential are float32
      }
      break;
    }
    case RopeType::LongRope: {
      const bool is_long = formula.long_set.value_or(rows > formula.trained_positions());
      const std::vector<double>& factors = is_long ? formula.long_factor : formula.short_factor;
      for (size_t i = 0; i < factors.size() && i < out.frequency.size(); ++i) {
        out.frequency[i] /= factors[i];
        out.error[i] += 3 * u;
      }
      break;
    }
    case RopeType::Llama3:
      smooth_llama3(formula, out);
      break;
    case RopeType::Yarn:
    case RopeType::DeepseekYarn:
      ramp_yarn(formula, out);
      break;
    default:
      break;
  }
  return out;
}

}  // namespace ropewalk::reference
