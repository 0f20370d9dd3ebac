#include "lib/generate/approximate_forms.h"

#include <cmath>
#include <limits>

namespace ropewalk::generate {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double no_bound = std::numeric_limits<double>::infinity();

double reciprocal(double a, double) { return 1 / a; }
double root(double a, double) { return std::sqrt(a); }
double inverse_root(double a, double) { return 1 / std::sqrt(a); }
double power(double a, double) { return std::exp2(a); }
double logarithm(double a, double) { return std::log2(a); }
double sine(double a, double) { return std::sin(a); }
double cosine(double a, double) { return std::cos(a); }
double tangent(double a, double) { return std::tanh(a); }
double quotient(double a, double b) { return a / b; }
// Where the reciprocal of a large divisor vanishes, so does the quotient.
double quotient_by_reciprocal(double a, double b) {
  if (std::fabs(b) <= 0x1p126 || std::isinf(b)) return a / b;
  return a * std::copysign(0.0, b);
}

// In units of the last place of a single-precision result.
template <int units>
double ulps(double, double, double truth) {
  return std::ldexp(double(units), std::ilogb(truth) - 23);
}
double ulps_within(double, double b, double truth) {
  return std::fabs(b) >= 0x1p-126 ? ulps<2>(0, b, truth) : no_bound;
}
double of_root(double, double, double truth) { return 0x1p-23 * std::fabs(truth); }
double of_inverse_root(double, double, double truth) { return std::exp2(-22.9) * std::fabs(truth); }
double of_power(double, double, double truth) { return 0x1p-22 * std::fabs(truth); }
double of_logarithm(double a, double, double truth) { return 0x1p-22 * (a > 0.5 && a < 2 ? 1 : std::fabs(truth)); }
// The manual says 2^-20.5 within a turn. cos on an H100 is up to 2^-20.43 off, over 2^20 operands.
double of_sine(double a, double, double) {
  if (std::fabs(a) <= 2 * pi) return std::exp2(-20.4);
  return std::fabs(a) <= 100 * pi ? std::exp2(-14.7) : no_bound;
}
double of_tangent(double, double, double truth) { return 0x1p-11 * std::fabs(truth); }
double of_power_f16(double, double, double truth) { return std::exp2(-9.9) * std::fabs(truth); }
double of_power_bf16(double, double, double truth) { return 0x1p-7 * std::fabs(truth); }
double of_tangent_f16(double, double, double) { return std::exp2(-10.987); }
// The manual says 2^-8. An H100 is up to 2^-7.01 off, over all operands.
double of_tangent_bf16(double, double, double truth) { return 0x1p-7 * std::fabs(truth); }

using enum ApproximateType;
constexpr ApproximateForm all_forms[] = {
    {"rcp.approx.f32", F32, false, false, 1, -1000, 1000, reciprocal, ulps<1>},
    {"rcp.approx.ftz.f32", F32, true, false, 1, -1000, 1000, reciprocal, ulps<1>},
    {"sqrt.approx.f32", F32, false, false, 1, 0, 1000, root, of_root},
    {"sqrt.approx.ftz.f32", F32, true, false, 1, 0, 1000, root, of_root},
    {"rsqrt.approx.f32", F32, false, false, 1, 0, 1000, inverse_root, of_inverse_root},
    {"rsqrt.approx.ftz.f32", F32, true, false, 1, 0, 1000, inverse_root, of_inverse_root},
    {"div.approx.f32", F32, false, false, 2, -1000, 1000, quotient_by_reciprocal, ulps_within},
    {"div.approx.ftz.f32", F32, true, false, 2, -1000, 1000, quotient_by_reciprocal, ulps_within},
    {"div.full.f32", F32, false, false, 2, -1000, 1000, quotient, ulps<2>},
    {"div.full.ftz.f32", F32, true, false, 2, -1000, 1000, quotient, ulps<2>},
    {"ex2.approx.f32", F32, false, false, 1, -150, 130, power, of_power},
    {"ex2.approx.ftz.f32", F32, true, false, 1, -150, 130, power, of_power},
    {"lg2.approx.f32", F32, false, false, 1, 0, 4, logarithm, of_logarithm},
    {"lg2.approx.ftz.f32", F32, true, false, 1, 0, 4, logarithm, of_logarithm},
    {"sin.approx.f32", F32, false, false, 1, -2 * pi, 2 * pi, sine, of_sine},
    {"sin.approx.ftz.f32", F32, true, false, 1, -100 * pi, 100 * pi, sine, of_sine},
    {"cos.approx.f32", F32, false, false, 1, -2 * pi, 2 * pi, cosine, of_sine},
    {"cos.approx.ftz.f32", F32, true, false, 1, -100 * pi, 100 * pi, cosine, of_sine},
    {"tanh.approx.f32", F32, false, false, 1, -12, 12, tangent, of_tangent},
    {"ex2.approx.f16", F16, false, false, 1, -20, 15, power, of_power_f16},
    {"tanh.approx.f16", F16, false, false, 1, -6, 6, tangent, of_tangent_f16},
    {"ex2.approx.ftz.bf16", BF16, true, true, 1, -140, 127, power, of_power_bf16},
    {"tanh.approx.bf16", BF16, false, true, 1, -6, 6, tangent, of_tangent_bf16},
};

}  // namespace

std::span<const ApproximateForm> approximate_forms() { return all_forms; }

}  // namespace ropewalk::generate
