#include "lib/rope/made/float_table.h"

#include <cmath>

namespace ropewalk::rope {
namespace {

float shortened(float value, std::optional<Dtype> dtype) {
  if (!dtype) return value;
  u8 bytes[8];
  store_from_double(bytes, *dtype, double(value));
  return float(load_as_double(bytes, *dtype));
}

float get_mscale(double scale, double mscale) {
  return scale <= 1 ? 1.0f : float(0.1 * mscale * std::log(scale) + 1.0);
}

double attention_of(const RopeFormula& f) {
  if (f.attention_factor) return *f.attention_factor;
  if (f.type == RopeType::Yarn) {
    if (f.mscale && f.mscale_all_dim)
      return double(get_mscale(f.factor, *f.mscale)) / double(get_mscale(f.factor, *f.mscale_all_dim));
    return get_mscale(f.factor, 1);
  }
  if (f.type == RopeType::DeepseekYarn) {
    return double(get_mscale(f.factor, f.mscale.value_or(1))) /
           double(get_mscale(f.factor, f.mscale_all_dim.value_or(0)));
  }
  if (f.type == RopeType::LongRope) {
    return f.factor <= 1 ? 1 : std::sqrt(1 + std::log(f.factor) / std::log(double(f.original_positions)));
  }
  return 1;
}

// theta^(2 i / d) in float32.
float power(double base, i64 i, i64 width) { return std::pow(float(base), float(2 * i) / float(width)); }

}  // namespace

std::vector<float> float_frequencies(const Making& making) {
  const RopeFormula& f = making.formula;
  const i64 d = f.rotary_dim;
  const bool proportional = f.type == RopeType::Proportional;
  const i64 width = making.width ? making.width : proportional ? f.head_dim : d;
  const i64 pairs = making.pairs ? making.pairs : proportional ? f.head_dim / 2 : d / 2;
  const i64 length = f.original_positions ? f.original_positions : f.max_positions;
  double base = f.theta;
  if (f.type == RopeType::Dynamic && making.formula_rows > length) {
    base *=
        std::pow(f.factor * double(making.formula_rows) / double(length) - (f.factor - 1), double(d) / double(d - 2));
  }
  if (f.type == RopeType::DynamicAlpha) base *= std::pow(f.alpha, double(d) / double(d - 2));
  if (f.type == RopeType::Ntk) base *= f.factor;
  std::vector<float> w;
  for (i64 i = 0; i < pairs; ++i) w.push_back(1.0f / power(base, i, width));
  const float factor = float(f.factor);
  switch (f.type) {
    case RopeType::Linear:
      for (float& one : w) one /= factor;
      break;
    case RopeType::Ntk:
      for (float& one : w) one /= float(std::pow(f.factor, 2.0 / double(d)));
      break;
    case RopeType::MixedNtk: {
      const double a = std::log(f.factor) / std::pow(double(d) / 2, f.mixed_b);
      for (i64 i = 0; i < pairs; ++i) w[size_t(i)] /= std::exp(float(a) * std::pow(float(i + 1), float(f.mixed_b)));
      break;
    }
    case RopeType::LongRope: {
      const std::vector<double>& ext =
          f.long_set.value_or(making.formula_rows > length) ? f.long_factor : f.short_factor;
      for (i64 i = 0; i < pairs; ++i) w[size_t(i)] = 1.0f / (float(ext[size_t(i)]) * power(base, i, width));
      break;
    }
    case RopeType::Llama3:
      for (float& one : w) {
        const float wavelength = float(2 * M_PI) / one;
        const float low = float(double(length) / f.low_freq_factor), high = float(double(length) / f.high_freq_factor);
        const float smooth =
            (float(length) / wavelength - float(f.low_freq_factor)) / float(f.high_freq_factor - f.low_freq_factor);
        const float mixed = (1 - smooth) * (one / factor) + smooth * one;
        one = wavelength > low ? one / factor : wavelength < high ? one : mixed;
      }
      break;
    case RopeType::Yarn:
    case RopeType::DeepseekYarn: {
      const auto dim_of = [&](double rotations) {
        return double(width) * std::log(double(length) / (rotations * 2 * M_PI)) / (2 * std::log(f.theta));
      };
      double low = dim_of(f.beta_fast), high = dim_of(f.beta_slow);
      if (f.truncate) low = std::floor(low), high = std::ceil(high);
      low = std::max(low, 0.0), high = std::min(high, double(width - 1));
      if (low == high) high += 0.001;
      for (i64 i = 0; i < pairs; ++i) {
        const float ramp = std::min(std::max((float(i) - float(low)) / float(high - low), 0.0f), 1.0f);
        const float p = power(base, i, width), keep = 1 - ramp;
        w[size_t(i)] = 1.0f / (factor * p) * (1 - keep) + 1.0f / p * keep;
      }
      break;
    }
    case RopeType::Proportional:
      for (i64 i = 0; i < pairs; ++i) w[size_t(i)] = i < d / 2 ? w[size_t(i)] / factor : 0.0f;
      break;
    default:
      break;
  }
  if (making.multiply_frequencies) {
    const float ratio = w[1] / w[0];
    for (size_t i = 1; i < w.size(); ++i) w[i] = w[i - 1] * ratio;
  }
  for (float& one : w) one = shortened(one, making.frequency_dtype);
  return w;
}

FloatTable float_table(const Making& making, i64 rows) {
  const std::vector<float> w = float_frequencies(making);
  const float attention = float(making.attention.value_or(attention_of(making.formula)));
  FloatTable table{rows, i64(w.size()), {}, {}};
  std::vector<float> sum(w.size(), 0.0f);
  for (i64 row = 0; row < rows; ++row) {
    const float position =
        shortened(float(making.position ? making.position(row) : double(row)), making.position_dtype);
    for (size_t i = 0; i < w.size(); ++i) {
      const float angle = making.add_angles ? sum[i] : shortened(position * w[i], making.product_dtype);
      table.cosine.push_back(std::cos(angle) * attention);
      table.sine.push_back(std::sin(angle) * attention);
      sum[i] += w[i];
    }
  }
  return table;
}

}  // namespace ropewalk::rope
