// add sub mul fma div rcp sqrt min max abs neg copysign of f32.
#include "lib/machine/arithmetic/float32.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;

// With .ftz and .sat; `rounding` is "" for .rn, which canonical opcodes leave out here.
#define RW_FLUSHED_SATURATED(stem, rounding, Function, Mode)                                      \
  RW_FORM(stem rounding ".f32", Function<Rounding::Mode, false, false>),                          \
      RW_FORM(stem rounding ".ftz.f32", Function<Rounding::Mode, true, false>),                   \
      RW_FORM(stem rounding ".sat.f32", Function<Rounding::Mode, false, true>),                   \
      RW_FORM(stem rounding ".ftz.sat.f32", Function<Rounding::Mode, true, true>)
#define RW_ARITHMETIC(stem, Function)                                                             \
  RW_FLUSHED_SATURATED(stem, "", Function, Nearest), RW_FLUSHED_SATURATED(stem, ".rz", Function, Zero), \
      RW_FLUSHED_SATURATED(stem, ".rm", Function, Down), RW_FLUSHED_SATURATED(stem, ".rp", Function, Up)
#define RW_DIV(name, Mode)                                     \
  RW_FORM("div." name ".f32", DivF32<Rounding::Mode, false>), \
      RW_FORM("div." name ".ftz.f32", DivF32<Rounding::Mode, true>)
#define RW_RCP(name, Mode)                                     \
  RW_FORM("rcp." name ".f32", RcpF32<Rounding::Mode, false>), \
      RW_FORM("rcp." name ".ftz.f32", RcpF32<Rounding::Mode, true>)
#define RW_SQRT(name, Mode)                                      \
  RW_FORM("sqrt." name ".f32", SqrtF32<Rounding::Mode, false>), \
      RW_FORM("sqrt." name ".ftz.f32", SqrtF32<Rounding::Mode, true>)
#define RW_EXTREME(stem, Function)                                            \
  RW_FORM(stem ".f32", Function<false, false, false>),                        \
      RW_FORM(stem ".ftz.f32", Function<true, false, false>),                 \
      RW_FORM(stem ".NaN.f32", Function<false, true, false>),                 \
      RW_FORM(stem ".ftz.NaN.f32", Function<true, true, false>),              \
      RW_FORM(stem ".xorsign.abs.f32", Function<false, false, true>),         \
      RW_FORM(stem ".ftz.xorsign.abs.f32", Function<true, false, true>),      \
      RW_FORM(stem ".NaN.xorsign.abs.f32", Function<false, true, true>),      \
      RW_FORM(stem ".ftz.NaN.xorsign.abs.f32", Function<true, true, true>)

constexpr FormEntry entries[] = {
    RW_ARITHMETIC("add", AddF32),
    RW_ARITHMETIC("sub", SubF32),
    RW_ARITHMETIC("mul", MulF32),
    RW_ARITHMETIC("fma", FmaF32),
    RW_ROUNDINGS(RW_DIV),
    RW_ROUNDINGS(RW_RCP),
    RW_ROUNDINGS(RW_SQRT),
    RW_EXTREME("min", MinF32),
    RW_EXTREME("max", MaxF32),
    RW_FORM("abs.f32", AbsF32<false>),
    RW_FORM("abs.ftz.f32", AbsF32<true>),
    RW_FORM("neg.f32", NegF32<false>),
    RW_FORM("neg.ftz.f32", NegF32<true>),
    RW_FORM("copysign.f32", CopysignF32),
};

}  // namespace

FormList float32_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
