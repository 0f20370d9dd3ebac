// Compiled with -frounding-math, so that nothing is computed before the direction is set.
#include "tests/lib/machine/arithmetic/host_rounding.h"

#include <cfenv>
#include <cmath>

namespace ropewalk::machine::arithmetic::host {
namespace {

class Direction {
 public:
  explicit Direction(Rounding mode) {
    std::fesetround(mode == Rounding::Nearest ? FE_TONEAREST
                    : mode == Rounding::Zero  ? FE_TOWARDZERO
                    : mode == Rounding::Down  ? FE_DOWNWARD
                                              : FE_UPWARD);
  }
  ~Direction() { std::fesetround(FE_TONEAREST); }
};

// Keeps an operation between the two changes of direction.
template <class Operation, class... Operands>
auto under(Rounding mode, Operation operation, Operands... operands) {
  const Direction direction(mode);
  volatile auto result = operation(static_cast<const volatile Operands&>(operands)...);
  return decltype(operation(operands...))(result);
}

}  // namespace

float sum(float a, float b, Rounding mode) {
  return under(
      mode, [](float x, float y) { return x + y; }, a, b);
}
float product(float a, float b, Rounding mode) {
  return under(
      mode, [](float x, float y) { return x * y; }, a, b);
}
float quotient(float a, float b, Rounding mode) {
  return under(
      mode, [](float x, float y) { return x / y; }, a, b);
}
float root(float a, Rounding mode) {
  return under(
      mode, [](float x) { return std::sqrt(x); }, a);
}
float fused(float a, float b, float c, Rounding mode) {
  return under(
      mode, [](float x, float y, float z) { return std::fma(x, y, z); }, a, b, c);
}
double sum(double a, double b, Rounding mode) {
  return under(
      mode, [](double x, double y) { return x + y; }, a, b);
}
double product(double a, double b, Rounding mode) {
  return under(
      mode, [](double x, double y) { return x * y; }, a, b);
}
double quotient(double a, double b, Rounding mode) {
  return under(
      mode, [](double x, double y) { return x / y; }, a, b);
}
double root(double a, Rounding mode) {
  return under(
      mode, [](double x) { return std::sqrt(x); }, a);
}
double fused(double a, double b, double c, Rounding mode) {
  return under(
      mode, [](double x, double y, double z) { return std::fma(x, y, z); }, a, b, c);
}

float to_f32(double value, Rounding mode) {
  return under(
      mode, [](double x) { return float(x); }, value);
}
// Integers go through a long double, which holds all 64-bit ones.
float to_f32(i64 value, Rounding mode) {
  return under(
      mode, [](long double x) { return float(x); }, static_cast<long double>(value));
}
float to_f32(u64 value, Rounding mode) {
  return under(
      mode, [](long double x) { return float(x); }, static_cast<long double>(value));
}
double to_f64(i64 value, Rounding mode) {
  return under(
      mode, [](long double x) { return double(x); }, static_cast<long double>(value));
}
double to_f64(u64 value, Rounding mode) {
  return under(
      mode, [](long double x) { return double(x); }, static_cast<long double>(value));
}
float integral(float value, Rounding mode) {
  return under(
      mode, [](float x) { return std::nearbyint(x); }, value);
}
double integral(double value, Rounding mode) {
  return under(
      mode, [](double x) { return std::nearbyint(x); }, value);
}

}  // namespace ropewalk::machine::arithmetic::host
