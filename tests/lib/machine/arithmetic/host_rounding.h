// The host's own arithmetic under each rounding direction, set in the floating-point environment.
#pragma once
#include "lib/machine/arithmetic/float_lane.h"

namespace ropewalk::machine::arithmetic::host {

float sum(float a, float b, Rounding mode);
float product(float a, float b, Rounding mode);
float quotient(float a, float b, Rounding mode);
float root(float a, Rounding mode);
float fused(float a, float b, float c, Rounding mode);
double sum(double a, double b, Rounding mode);
double product(double a, double b, Rounding mode);
double quotient(double a, double b, Rounding mode);
double root(double a, Rounding mode);
double fused(double a, double b, double c, Rounding mode);

float to_f32(double value, Rounding mode);
float to_f32(i64 value, Rounding mode);
float to_f32(u64 value, Rounding mode);
double to_f64(i64 value, Rounding mode);
double to_f64(u64 value, Rounding mode);

// To an integral value.
float integral(float value, Rounding mode);
double integral(double value, Rounding mode);

}  // namespace ropewalk::machine::arithmetic::host
