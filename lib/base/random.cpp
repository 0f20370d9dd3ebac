#include "lib/base/random.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ropewalk {
namespace {

using Coefficients = std::array<double, 8>;  // of 1, r, r^2, ...

inline double polynomial(const Coefficients& c, double r) {
  return ((((((c[7] * r + c[6]) * r + c[5]) * r + c[4]) * r + c[3]) * r + c[2]) * r + c[1]) * r + c[0];
}

// Numerators and denominators of M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution",
// Applied Statistics 37 (1988), function PPND16: in the middle, in the tails, and far out.
constexpr Coefficients middle_over{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                   1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients middle_under{1.0,
                                    4.2313330701600911252e+1,
                                    6.8718700749205790830e+2,
                                    5.3941960214247511077e+3,
                                    2.1213794301586595867e+4,
                                    3.9307895800092710610e+4,
                                    2.8729085735721942674e+4,
                                    5.2264952788528545610e+3};
constexpr Coefficients tail_over{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tail_under{1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
constexpr Coefficients far_over{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_under{1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};

// The middle: probabilities 0.5 + q with |q| up to this.
constexpr double middle_half = 0.425;

inline double middle_quantile(double q) {
  const double r = 0.180625 - q * q;
  return q * polynomial(middle_over, r) / polynomial(middle_under, r);
}

double tail_quantile(double probability) {
  const double r = std::sqrt(-std::log(probability));
  if (r <= 5) return polynomial(tail_over, r - 1.6) / polynomial(tail_under, r - 1.6);
  return polynomial(far_over, r - 5) / polynomial(far_under, r - 5);
}

// The middle of one of 2^52 equal intervals: never 0 or 1, and as far from the one as from the other.
inline double probability_of(u64 seed, u64 n) { return (double(random_bits(seed, n) >> 12) + 0.5) * 0x1p-52; }

}  // namespace

double normal_quantile(double probability) {
  const double q = probability - 0.5;
  if (std::fabs(q) <= middle_half) return middle_quantile(q);
  return q < 0 ? -tail_quantile(probability) : tail_quantile(1 - probability);
}

double random_normal(u64 seed, u64 n) { return normal_quantile(probability_of(seed, n)); }

void random_normals(u64 seed, u64 first, u64 count, double* out) {
  // In blocks: the middle's formula for all, then the tails, where it does not hold (15 of 100).
  std::array<u32, 256> tails;
  for (u64 begin = 0; begin < count; begin += tails.size()) {
    const u32 size = u32(std::min<u64>(tails.size(), count - begin));
    double* block = out + begin;
    u32 tail_count = 0;
    for (u32 i = 0; i < size; ++i) {
      block[i] = probability_of(seed, first + begin + i) - 0.5;
      tails[tail_count] = i;
      tail_count += std::fabs(block[i]) > middle_half;
    }
    for (u32 i = 0; i < size; ++i) block[i] = middle_quantile(block[i]);
    for (u32 t = 0; t < tail_count; ++t) block[tails[t]] = random_normal(seed, first + begin + tails[t]);
  }
}

}  // namespace ropewalk
