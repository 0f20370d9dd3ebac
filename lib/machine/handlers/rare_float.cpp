// f32 and f64 with directed roundings, and .xorsign.abs; f32x2; min and max of three.
#include "lib/machine/arithmetic/float32.h"
#include "lib/machine/arithmetic/float64.h"
#include "lib/machine/arithmetic/pair32.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;

#define RW_ARITHMETIC(stem, F32, F64, name, Mode)                             \
  RW_FORM(stem "." name ".f32", F32<Rounding::Mode, false, false>),           \
      RW_FORM(stem "." name ".ftz.f32", F32<Rounding::Mode, true, false>),    \
      RW_FORM(stem "." name ".sat.f32", F32<Rounding::Mode, false, true>),    \
      RW_FORM(stem "." name ".ftz.sat.f32", F32<Rounding::Mode, true, true>), \
      RW_FORM(stem "." name ".f64", F64<Rounding::Mode>)
#define RW_ROUNDED(stem, F32, F64, name, Mode)               \
  RW_FORM(stem "." name ".f32", F32<Rounding::Mode, false>), \
      RW_FORM(stem "." name ".ftz.f32", F32<Rounding::Mode, true>), RW_FORM(stem "." name ".f64", F64<Rounding::Mode>)
#define RW_DIRECTED(name, Mode)                                                                           \
  RW_ARITHMETIC("add", AddF32, AddF64, name, Mode), RW_ARITHMETIC("sub", SubF32, SubF64, name, Mode),     \
      RW_ARITHMETIC("mul", MulF32, MulF64, name, Mode), RW_ARITHMETIC("fma", FmaF32, FmaF64, name, Mode), \
      RW_ROUNDED("div", DivF32, DivF64, name, Mode), RW_ROUNDED("rcp", RcpF32, RcpF64, name, Mode),       \
      RW_ROUNDED("sqrt", SqrtF32, SqrtF64, name, Mode)
#define RW_EXTREME(stem, Function)                                       \
  RW_FORM(stem ".xorsign.abs.f32", Function<false, false, true>),        \
      RW_FORM(stem ".ftz.xorsign.abs.f32", Function<true, false, true>), \
      RW_FORM(stem ".NaN.xorsign.abs.f32", Function<false, true, true>), \
      RW_FORM(stem ".ftz.NaN.xorsign.abs.f32", Function<true, true, true>)

// `name` is a rounding modifier, or empty for the default.
#define RW_PAIRS(name, Mode)                                                            \
  RW_FORM("add" name ".f32x2", Pair32Of2<AddF32<Rounding::Mode, false, false>>),        \
      RW_FORM("add" name ".ftz.f32x2", Pair32Of2<AddF32<Rounding::Mode, true, false>>), \
      RW_FORM("sub" name ".f32x2", Pair32Of2<SubF32<Rounding::Mode, false, false>>),    \
      RW_FORM("sub" name ".ftz.f32x2", Pair32Of2<SubF32<Rounding::Mode, true, false>>), \
      RW_FORM("mul" name ".f32x2", Pair32Of2<MulF32<Rounding::Mode, false, false>>),    \
      RW_FORM("mul" name ".ftz.f32x2", Pair32Of2<MulF32<Rounding::Mode, true, false>>), \
      RW_FORM("fma" name ".f32x2", Pair32Of3<FmaF32<Rounding::Mode, false, false>>),    \
      RW_FORM("fma" name ".ftz.f32x2", Pair32Of3<FmaF32<Rounding::Mode, true, false>>)
#define RW_DIRECTED_PAIRS(name, Mode) RW_PAIRS("." name, Mode)
// Opcodes as of two operands; the decoder counts them.
#define RW_EXTREME_OF_THREE(stem, Maximum)                                   \
  RW_FORM(stem ".f32", Extreme3F32<Maximum, false, false, false>),           \
      RW_FORM(stem ".ftz.f32", Extreme3F32<Maximum, true, false, false>),    \
      RW_FORM(stem ".NaN.f32", Extreme3F32<Maximum, false, true, false>),    \
      RW_FORM(stem ".ftz.NaN.f32", Extreme3F32<Maximum, true, true, false>), \
      RW_FORM(stem ".abs.f32", Extreme3F32<Maximum, false, false, true>),    \
      RW_FORM(stem ".ftz.abs.f32", Extreme3F32<Maximum, true, false, true>), \
      RW_FORM(stem ".NaN.abs.f32", Extreme3F32<Maximum, false, true, true>), \
      RW_FORM(stem ".ftz.NaN.abs.f32", Extreme3F32<Maximum, true, true, true>)

constexpr FormEntry entries[] = {
    RW_PAIRS("", Nearest),
    RW_DIRECTED_ROUNDINGS(RW_DIRECTED_PAIRS),
    RW_EXTREME_OF_THREE("min3", false),
    RW_EXTREME_OF_THREE("max3", true),
    RW_DIRECTED_ROUNDINGS(RW_DIRECTED),
    RW_EXTREME("min", MinF32),
    RW_EXTREME("max", MaxF32),
};

}  // namespace

FormList rare_float_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
