// cvt among floats with directed roundings or with modifiers; to tf32; of the 8-bit formats.
#include "lib/machine/arithmetic/convert.h"
#include "lib/machine/arithmetic/convert_small.h"
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
#define RW_SATURATED(names, To, From) RW_FORM("cvt.sat." names, Convert<To, From, Rounding::Nearest, sat>)
#define RW_EXACT(names, To, From) \
  RW_FORM("cvt." names, Convert<To, From, Rounding::Nearest, none>), RW_SATURATED(names, To, From)
#define RW_FTZ_SATURATED(names, To, From) RW_FORM("cvt.ftz.sat." names, Convert<To, From, Rounding::Nearest, ftz_sat>)
#define RW_FTZ(names, To, From) \
  RW_FORM("cvt.ftz." names, Convert<To, From, Rounding::Nearest, ftz>), RW_FTZ_SATURATED(names, To, From)
// To a narrower format: what forms_convert.cpp has for the nearest value, and what it has not.
#define RW_PLAIN(name, Mode)                                                \
  RW_FORM("cvt." name ".f32.f64", Convert<F32, F64, Rounding::Mode, none>), \
      RW_FORM("cvt." name ".f16.f32", Convert<F16, F32, Rounding::Mode, none>)
#define RW_NARROW(name, Mode)                                                              \
  RW_FORM("cvt." name ".ftz.f32.f64", Convert<F32, F64, Rounding::Mode, ftz>),             \
      RW_FORM("cvt." name ".sat.f32.f64", Convert<F32, F64, Rounding::Mode, sat>),         \
      RW_FORM("cvt." name ".ftz.sat.f32.f64", Convert<F32, F64, Rounding::Mode, ftz_sat>), \
      RW_FORM("cvt." name ".f16.f64", Convert<F16, F64, Rounding::Mode, none>),            \
      RW_FORM("cvt." name ".sat.f16.f64", Convert<F16, F64, Rounding::Mode, sat>),         \
      RW_FORM("cvt." name ".bf16.f64", Convert<BF16, F64, Rounding::Mode, none>),          \
      RW_FORM("cvt." name ".bf16.f16", Convert<BF16, F16, Rounding::Mode, none>),          \
      RW_FORM("cvt." name ".f16.bf16", Convert<F16, BF16, Rounding::Mode, none>),          \
      RW_FORM("cvt." name ".ftz.f16.f32", Convert<F16, F32, Rounding::Mode, ftz>),         \
      RW_FORM("cvt." name ".sat.f16.f32", Convert<F16, F32, Rounding::Mode, sat>),         \
      RW_FORM("cvt." name ".ftz.sat.f16.f32", Convert<F16, F32, Rounding::Mode, ftz_sat>)
// Those that have .relu and .satfinite.
#define RW_MODIFIED(name, modifiers, Mode, Modifiers)                                            \
  RW_FORM("cvt." name modifiers ".f16x2.f32", PackFloats<F16, Rounding::Mode, Modifiers>),       \
      RW_FORM("cvt." name modifiers ".bf16x2.f32", PackFloats<BF16, Rounding::Mode, Modifiers>), \
      RW_FORM("cvt." name modifiers ".bf16.f32", Convert<BF16, F32, Rounding::Mode, Modifiers>)
#define RW_RECTIFIED(name, Mode)                                                               \
  RW_MODIFIED(name, ".relu", Mode, relu), RW_MODIFIED(name, ".satfinite", Mode, satfinite),    \
      RW_MODIFIED(name, ".relu.satfinite", Mode, relu_satfinite),                              \
      RW_FORM("cvt." name ".relu.f16.f32", Convert<F16, F32, Rounding::Mode, relu>),           \
      RW_FORM("cvt." name ".satfinite.f16.f32", Convert<F16, F32, Rounding::Mode, satfinite>), \
      RW_FORM("cvt." name ".relu.satfinite.f16.f32", Convert<F16, F32, Rounding::Mode, relu_satfinite>)
// To integral values of the same format; of f32 without modifiers in forms_convert.cpp.
#define RW_INTEGRAL(name, Mode)                                                                     \
  RW_FORM("cvt." name ".f16.f16", Convert<F16, F16, Rounding::Mode, integral>),                     \
      RW_FORM("cvt." name ".bf16.bf16", Convert<BF16, BF16, Rounding::Mode, integral>),             \
      RW_FORM("cvt." name ".ftz.f32.f32", Convert<F32, F32, Rounding::Mode, integral_ftz>),         \
      RW_FORM("cvt." name ".sat.f32.f32", Convert<F32, F32, Rounding::Mode, integral_sat>),         \
      RW_FORM("cvt." name ".ftz.sat.f32.f32", Convert<F32, F32, Rounding::Mode, integral_ftz_sat>), \
      RW_FORM("cvt." name ".f64.f64", Convert<F64, F64, Rounding::Mode, integral>),                 \
      RW_FORM("cvt." name ".sat.f64.f64", Convert<F64, F64, Rounding::Mode, integral_sat>)
#define RW_TF32(name, Mode)                                                                     \
  RW_FORM("cvt." name ".tf32.f32", ConvertTf32<Tf32Rounding::Mode>),                            \
      RW_FORM("cvt." name ".relu.tf32.f32", ConvertTf32<Tf32Rounding::Mode, true>),             \
      RW_FORM("cvt." name ".satfinite.tf32.f32", ConvertTf32<Tf32Rounding::Mode, false, true>), \
      RW_FORM("cvt." name ".relu.satfinite.tf32.f32", ConvertTf32<Tf32Rounding::Mode, true, true>)
#define RW_FP8(name, Small)                                                               \
  RW_FORM("cvt.rn.satfinite." name ".f32", ConvertFp8<Small>),                            \
      RW_FORM("cvt.rn.relu.satfinite." name ".f32", ConvertFp8<Small, true>),             \
      RW_FORM("cvt.rn.satfinite." name ".f16x2", ConvertFp8FromHalves<Small>),            \
      RW_FORM("cvt.rn.relu.satfinite." name ".f16x2", ConvertFp8FromHalves<Small, true>), \
      RW_FORM("cvt.rn.f16x2." name, ConvertHalvesFromFp8<Small>),                         \
      RW_FORM("cvt.rn.relu.f16x2." name, ConvertHalvesFromFp8<Small, true>)

constexpr FormEntry entries[] = {
    RW_SATURATED("f32.f16", F32, F16),
    RW_FTZ_SATURATED("f32.f16", F32, F16),
    RW_SATURATED("f32.bf16", F32, BF16),
    RW_FTZ("f32.bf16", F32, BF16),
    RW_FORM("cvt.f32.f32", Convert<F32, F32, Rounding::Nearest, none>),
    RW_FTZ("f32.f32", F32, F32),
    RW_SATURATED("f64.f32", F64, F32),
    RW_FTZ("f64.f32", F64, F32),
    RW_EXACT("f64.f16", F64, F16),
    RW_EXACT("f64.bf16", F64, BF16),
    RW_EXACT("f64.f64", F64, F64),
    RW_EXACT("f16.f16", F16, F16),
    RW_DIRECTED_ROUNDINGS(RW_PLAIN),
    RW_ROUNDINGS(RW_NARROW),
    RW_MODIFIED("rz", "", Zero, none),
    RW_FORM("cvt.rm.bf16.f32", Convert<BF16, F32, Rounding::Down, none>),
    RW_FORM("cvt.rp.bf16.f32", Convert<BF16, F32, Rounding::Up, none>),
    RW_RECTIFIED("rn", Nearest),
    RW_RECTIFIED("rz", Zero),
    RW_INTEGRAL_ROUNDINGS(RW_INTEGRAL),
    RW_TF32("rn", Nearest),
    RW_TF32("rz", Zero),
    RW_FORM("cvt.rna.tf32.f32", ConvertTf32<Tf32Rounding::Away>),
    RW_FORM("cvt.rna.satfinite.tf32.f32", ConvertTf32<Tf32Rounding::Away, false, true>),
    RW_FP8("e4m3x2", E4M3),
    RW_FP8("e5m2x2", E5M2),
};

}  // namespace

FormList rare_convert_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
