#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "lib/base/half.h"
#include "lib/base/numbers.h"
#include "lib/rope/alternatives.h"

namespace ropewalk::rope {
namespace {

double rounded(double value, Dtype dtype) {
  u8 bytes[8];
  store_from_double(bytes, dtype, value);
  return load_as_double(bytes, dtype);
}

// The numbers of `dtype` that the frequencies may have become: the rounded right ones, or, where each step of the
// computation was rounded, the nearest to what was measured.
std::vector<double> short_frequencies(const Suspect& suspect, const reference::RopeFrequencies& right, Dtype dtype,
                                      bool by_steps) {
  std::vector<double> out;
  const double unit = dtype == Dtype::BF16 ? 0x1p-8 : 0x1p-11;
  for (i64 pair = 0; pair < right.pairs(); ++pair) {
    const double exact = right.frequency[size_t(pair)], cast = rounded(exact, dtype);
    const double got = by_steps && size_t(pair) < suspect.measured.size() ? suspect.measured[size_t(pair)] : NAN;
    // The exponent's error counts ln(theta) times.
    const double reach = 24 * unit * exact + ulp_at(exact, dtype);
    // What was measured is itself not better than the table's last bits.
    const bool other = std::abs(got - exact) <= reach && std::abs(got - cast) > ulp_at(exact, dtype) * 0.75;
    out.push_back(other ? rounded(got, dtype) : cast);
  }
  return out;
}

// Angles that one step was added to again and again, in float32 or shorter. Only the rows that are asked are kept.
struct Accumulated {
  std::vector<float> angles;  // [rows, pairs]
  i64 pairs = 0;
};

template <class Round>
std::shared_ptr<Accumulated> accumulate(const reference::RopeFrequencies& frequencies, i64 pairs, i64 rows,
                                        const Round& round) {
  const auto out = std::make_shared<Accumulated>();
  out->pairs = pairs;
  out->angles.resize(size_t(rows * pairs));
  std::vector<float> step, at(size_t(pairs), 0.0f);
  for (i64 pair = 0; pair < pairs; ++pair) step.push_back(round(float(frequencies.frequency[size_t(pair)])));
  for (i64 row = 0; row < rows; ++row) {
    std::copy(at.begin(), at.end(), out->angles.begin() + row * pairs);
    for (i64 pair = 0; pair < pairs; ++pair) at[size_t(pair)] = round(at[size_t(pair)] + step[size_t(pair)]);
  }
  return out;
}

Alternative drift(const Model& right, std::shared_ptr<Accumulated> sums, const char* format) {
  Model model = right;
  model.angle = [sums = std::move(sums)](i64 row, i64 pair) {
    const size_t at = size_t(row * sums->pairs + pair);
    return at < sums->angles.size() ? double(sums->angles[at]) : 0.0;
  };
  // A frequency that is a unit beside drifts a little differently.
  for (double& error : model.frequencies.error) error = 2 * error + 0x1p-18;
  return {"angle-drift",
          fmt::format("the angle was made by adding the frequency again and again in {}", format),
          "multiply each position with the frequency; do not add up",
          3,
          std::move(model),
          {}};
}

// Whether each frequency is the one before times the same number.
bool is_geometric(const std::vector<double>& frequencies) {
  for (size_t pair = 2; pair < frequencies.size(); ++pair) {
    const double one = frequencies[pair] * frequencies[0], other = frequencies[pair - 1] * frequencies[1];
    if (!(std::abs(one - other) <= 1e-5 * other)) return false;
  }
  return frequencies.size() > 1;
}

// Linear scaling of the positions in place of the frequencies, without what stands behind the point.
Alternative divided_as_whole(const Suspect& suspect) {
  RopeFormula plain = suspect.expected;
  plain.type = RopeType::Default;
  Model model = model_of(plain, suspect);
  model.position = [exact = suspect.position, factor = suspect.expected.factor](i64 row) {
    return std::floor((exact ? exact(row) : double(row)) / factor);
  };
  return {"positions-rounded",
          fmt::format("positions were divided by the factor {:.6g} as whole numbers: up to {} positions share a place",
                      suspect.expected.factor, std::ceil(suspect.expected.factor)),
          "divide the frequencies by the factor, or the positions as floating-point numbers",
          1,
          std::move(model),
          {}};
}

}  // namespace

std::vector<Alternative> precision_alternatives(const Suspect& suspect, i64 last_row) {
  std::vector<Alternative> list;
  const Model right = model_of(suspect.expected, suspect);
  if (right.frequencies.pairs() < suspect.pairs) return list;
  const auto position = [&](i64 row) { return suspect.position ? suspect.position(row) : double(row); };
  for (const Dtype dtype : {Dtype::BF16, Dtype::F16}) {
    const std::string name(name_of(dtype));
    for (const int frequency_way : {0, 1, 2}) {  // float32, cast at last, each step rounded
      const bool short_frequency = frequency_way > 0;
      if (frequency_way == 2 && suspect.measured.empty()) continue;
      const std::vector<double> shorter = short_frequencies(suspect, right.frequencies, dtype, frequency_way == 2);
      for (const bool short_position : {false, true}) {
        for (const bool short_product : {false, true}) {
          if (!short_frequency && !short_position && !short_product) continue;
          Model model = right;
          if (short_frequency) model.frequencies.frequency = shorter;
          if (short_position) model.position = [=](i64 row) { return rounded(position(row), dtype); };
          if (short_position && suspect.pair_position)
            model.pair_position = [=, exact = suspect.pair_position](i64 row, i64 pair) {
              return rounded(exact(row, pair), dtype);
            };
          // The rounding of a product may fall to the other side where it is nearly a tie.
          if (short_product) model.product = dtype;
          const bool many = short_product || (short_frequency && short_position);
          const char* const cause = many              ? "low-precision-computation"
                                    : short_frequency ? "inv-freq-rounded"
                                                      : "positions-rounded";
          std::string text =
              many              ? fmt::format("{}{}{} rounded to {} before cos and sin were taken",
                                 short_product ? "the product position x frequency was" : "",
                                 short_product && (short_frequency || short_position) ? ", as before it " : "",
                                 short_frequency && short_position ? "positions and frequencies were"
                                              : short_frequency                 ? "the frequencies were"
                                              : short_position                  ? "the positions were"
                                                                                : "",
                                              name)
              : short_frequency ? fmt::format("the inverse frequencies were rounded to {}", name)
                                : fmt::format("the positions were rounded to {}: {} becomes {}", name,
                                              dtype == Dtype::BF16 ? 257 : 2049, dtype == Dtype::BF16 ? 256 : 2048);
          const char* const advice =
              many ? "compute positions, frequencies, angles, cos and sin in float32 and cast the table at last"
              : short_frequency ? "keep inv_freq in float32: do not let half(), bfloat16() or to(dtype) cast it, and "
                                  "build the table before the cast"
                                : "make the positions in float32 (or int64), not in the model's dtype";
          list.push_back({cause,
                          std::move(text),
                          advice,
                          many ? 2 + int(short_frequency) + int(short_position) : 1,
                          std::move(model),
                          {}});
        }
      }
    }
  }
  if (suspect.expected.type == RopeType::Linear && suspect.expected.factor > 1 && !suspect.pair_position)
    list.push_back(divided_as_whole(suspect));
  const i64 rows = last_row + 1;
  if (!suspect.position && !suspect.pair_position && rows * suspect.pairs <= i64(1) << 26) {
    list.push_back(
        drift(right, accumulate(right.frequencies, suspect.pairs, rows, [](float x) { return x; }), "float32"));
    list.push_back(drift(
        right, accumulate(right.frequencies, suspect.pairs, rows, [](float x) { return bf16_to_f32(f32_to_bf16(x)); }),
        "bf16"));
    list.push_back(drift(
        right, accumulate(right.frequencies, suspect.pairs, rows, [](float x) { return f16_to_f32(f32_to_f16(x)); }),
        "f16"));
  }
  // Frequencies made by multiplying the one before, as ggml does: those of one base alone.
  if (!is_geometric(right.frequencies.frequency)) return list;
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    Model model = right;
    const double ratio = suspect.pairs > 1 ? right.frequencies.frequency[1] / right.frequencies.frequency[0] : 1;
    double w = rounded(right.frequencies.frequency[0], dtype);
    for (double& frequency : model.frequencies.frequency) {
      frequency = w;
      w = rounded(w * rounded(ratio, dtype), dtype);
    }
    list.push_back({"angle-drift",
                    fmt::format("each frequency was made by multiplying the one before in {}", name_of(dtype)),
                    "raise theta to each exponent by itself; do not multiply up",
                    4,
                    std::move(model),
                    {}});
  }
  return list;
}

std::vector<Alternative> function_alternatives(const Suspect& suspect, bool both) {
  const Model right = model_of(suspect.expected, suspect);
  Model swapped = right, negative = right, cosines = right, sines = right;
  swapped.swapped = true;
  negative.sin_sign = -1;
  cosines.both_are = Trig::Cos;
  sines.both_are = Trig::Sin;
  const char* const exchange = "exchange the two where the table is filled or named";
  const char* const fill = "fill each of the two places with its own function: look where the table is put together";
  std::vector<Alternative> list = {
      {"cos-sin-swapped", "cos stands where sin should, and sin where cos should", exchange, 0, swapped, {}},
      {"sin-sign",
       "sin has the wrong sign everywhere",
       "rotate by the positive angle: (x cos - y sin, x sin + y cos)",
       0,
       negative,
       {}}};
  if (both) {
    list.push_back({"cos-sin-swapped", "cos stands in its own place and where sin should", fill, 0, cosines, {}});
    list.push_back({"cos-sin-swapped", "sin stands in its own place and where cos should", fill, 0, sines, {}});
  }
  return list;
}

}  // namespace ropewalk::rope
