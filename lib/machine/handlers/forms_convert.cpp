// cvt among f16, bf16, f32 and f64; directed roundings, tf32 and the 8-bit formats stand in rare_convert.cpp.
#include "lib/machine/arithmetic/convert.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

constexpr FloatModifiers none{}, ftz{.ftz = true}, sat{.sat = true}, ftz_sat{.ftz = true, .sat = true},
    relu{.relu = true}, satfinite{.satfinite = true}, relu_satfinite{.relu = true, .satfinite = true},
    integral{.integral = true}, integral_ftz{.integral = true, .ftz = true},
    integral_sat{.integral = true, .sat = true}, integral_ftz_sat{.integral = true, .ftz = true, .sat = true};

template <class To, class From, Rounding Mode, FloatModifiers Modifiers>
using Convert = ConvertFloat<To, From, Mode, Modifiers>;
template <class To, Rounding Mode, FloatModifiers Modifiers>
using PackFloats = Pack<ConvertFloat<To, F32, Mode, Modifiers>>;

// Exact: to a wider format, or the same.
#define RW_EXACT(names, To, From)                                    \
  RW_FORM("cvt." names, Convert<To, From, Rounding::Nearest, none>), \
      RW_FORM("cvt.sat." names, Convert<To, From, Rounding::Nearest, sat>)
#define RW_EXACT_FTZ(names, To, From)                                                              \
  RW_EXACT(names, To, From), RW_FORM("cvt.ftz." names, Convert<To, From, Rounding::Nearest, ftz>), \
      RW_FORM("cvt.ftz.sat." names, Convert<To, From, Rounding::Nearest, ftz_sat>)
// To a narrower format.
#define RW_NARROW(name, Mode)                                                              \
  RW_FORM("cvt." name ".f32.f64", Convert<F32, F64, Rounding::Mode, none>),                \
      RW_FORM("cvt." name ".ftz.f32.f64", Convert<F32, F64, Rounding::Mode, ftz>),         \
      RW_FORM("cvt." name ".sat.f32.f64", Convert<F32, F64, Rounding::Mode, sat>),         \
      RW_FORM("cvt." name ".ftz.sat.f32.f64", Convert<F32, F64, Rounding::Mode, ftz_sat>), \
      RW_FORM("cvt." name ".f16.f64", Convert<F16, F64, Rounding::Mode, none>),            \
      RW_FORM("cvt." name ".sat.f16.f64", Convert<F16, F64, Rounding::Mode, sat>),         \
      RW_FORM("cvt." name ".bf16.f64", Convert<BF16, F64, Rounding::Mode, none>),          \
      RW_FORM("cvt." name ".bf16.f16", Convert<BF16, F16, Rounding::Mode, none>),          \
      RW_FORM("cvt." name ".f16.bf16", Convert<F16, BF16, Rounding::Mode, none>),          \
      RW_FORM("cvt." name ".f16.f32", Convert<F16, F32, Rounding::Mode, none>),            \
      RW_FORM("cvt." name ".ftz.f16.f32", Convert<F16, F32, Rounding::Mode, ftz>),         \
      RW_FORM("cvt." name ".sat.f16.f32", Convert<F16, F32, Rounding::Mode, sat>),         \
      RW_FORM("cvt." name ".ftz.sat.f16.f32", Convert<F16, F32, Rounding::Mode, ftz_sat>)
// Those that have .relu and .satfinite.
#define RW_RECTIFIED(name, modifiers, Mode, Modifiers)                                           \
  RW_FORM("cvt." name modifiers ".f16x2.f32", PackFloats<F16, Rounding::Mode, Modifiers>),       \
      RW_FORM("cvt." name modifiers ".bf16x2.f32", PackFloats<BF16, Rounding::Mode, Modifiers>), \
      RW_FORM("cvt." name modifiers ".bf16.f32", Convert<BF16, F32, Rounding::Mode, Modifiers>)
#define RW_NARROW_RECTIFIED(name, Mode)                                                                               \
  RW_RECTIFIED(name, "", Mode, none), RW_RECTIFIED(name, ".relu", Mode, relu),                                        \
      RW_RECTIFIED(name, ".satfinite", Mode, satfinite), RW_RECTIFIED(name, ".relu.satfinite", Mode, relu_satfinite), \
      RW_FORM("cvt." name ".relu.f16.f32", Convert<F16, F32, Rounding::Mode, relu>),                                  \
      RW_FORM("cvt." name ".satfinite.f16.f32", Convert<F16, F32, Rounding::Mode, satfinite>),                        \
      RW_FORM("cvt." name ".relu.satfinite.f16.f32", Convert<F16, F32, Rounding::Mode, relu_satfinite>)
// To integral values of the same format.
#define RW_INTEGRAL(name, Mode)                                                                     \
  RW_FORM("cvt." name ".f16.f16", Convert<F16, F16, Rounding::Mode, integral>),                     \
      RW_FORM("cvt." name ".bf16.bf16", Convert<BF16, BF16, Rounding::Mode, integral>),             \
      RW_FORM("cvt." name ".f32.f32", Convert<F32, F32, Rounding::Mode, integral>),                 \
      RW_FORM("cvt." name ".ftz.f32.f32", Convert<F32, F32, Rounding::Mode, integral_ftz>),         \
      RW_FORM("cvt." name ".sat.f32.f32", Convert<F32, F32, Rounding::Mode, integral_sat>),         \
      RW_FORM("cvt." name ".ftz.sat.f32.f32", Convert<F32, F32, Rounding::Mode, integral_ftz_sat>), \
      RW_FORM("cvt." name ".f64.f64", Convert<F64, F64, Rounding::Mode, integral>),                 \
      RW_FORM("cvt." name ".sat.f64.f64", Convert<F64, F64, Rounding::Mode, integral_sat>)

constexpr FormEntry entries[] = {
    RW_EXACT_FTZ("f32.f16", F32, F16),  RW_EXACT_FTZ("f32.bf16", F32, BF16), RW_EXACT_FTZ("f32.f32", F32, F32),
    RW_EXACT_FTZ("f64.f32", F64, F32),  RW_EXACT("f64.f16", F64, F16),       RW_EXACT("f64.bf16", F64, BF16),
    RW_EXACT("f64.f64", F64, F64),      RW_EXACT("f16.f16", F16, F16),       RW_NARROW("rn", Nearest),
    RW_NARROW_RECTIFIED("rn", Nearest), RW_INTEGRAL_ROUNDINGS(RW_INTEGRAL),
};

}  // namespace

FormList convert_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
