// cvt among floats with directed roundings; to tf32; of the 8-bit formats.
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
    relu{.relu = true}, satfinite{.satfinite = true}, relu_satfinite{.relu = true, .satfinite = true};

template <class To, class From, Rounding Mode, FloatModifiers Modifiers>
using Convert = ConvertFloat<To, From, Mode, Modifiers>;
template <class To, Rounding Mode, FloatModifiers Modifiers>
using PackFloats = Pack<ConvertFloat<To, F32, Mode, Modifiers>>;

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
    RW_DIRECTED_ROUNDINGS(RW_NARROW),
    RW_NARROW_RECTIFIED("rz", Zero),
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
