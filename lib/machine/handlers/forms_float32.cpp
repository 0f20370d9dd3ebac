// add sub mul fma div rcp sqrt min max abs neg copysign of f32; directed roundings stand in rare_float.cpp.
#include "lib/machine/arithmetic/float32.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;

// Canonical opcodes leave .rn out of these.
#define RW_ARITHMETIC(stem, Function)                                     \
  RW_FORM(stem ".f32", Function<Rounding::Nearest, false, false>),        \
      RW_FORM(stem ".ftz.f32", Function<Rounding::Nearest, true, false>), \
      RW_FORM(stem ".sat.f32", Function<Rounding::Nearest, false, true>), \
      RW_FORM(stem ".ftz.sat.f32", Function<Rounding::Nearest, true, true>)
#define RW_ROUNDED(stem, Function)                             \
  RW_FORM(stem ".rn.f32", Function<Rounding::Nearest, false>), \
      RW_FORM(stem ".rn.ftz.f32", Function<Rounding::Nearest, true>)
#define RW_EXTREME(stem, Function)                                                                             \
  RW_FORM(stem ".f32", Function<false, false, false>), RW_FORM(stem ".ftz.f32", Function<true, false, false>), \
      RW_FORM(stem ".NaN.f32", Function<false, true, false>),                                                  \
      RW_FORM(stem ".ftz.NaN.f32", Function<true, true, false>)

constexpr FormEntry entries[] = {
    RW_ARITHMETIC("add", AddF32),
    RW_ARITHMETIC("sub", SubF32),
    RW_ARITHMETIC("mul", MulF32),
    RW_ARITHMETIC("fma", FmaF32),
    RW_ROUNDED("div", DivF32),
    RW_ROUNDED("rcp", RcpF32),
    RW_ROUNDED("sqrt", SqrtF32),
    RW_EXTREME("min", MinF32),
    RW_EXTREME("max", MaxF32),
    RW_FORM("abs.f32", AbsF32<false>),
    RW_FORM("abs.ftz.f32", AbsF32<true>),
    RW_FORM("neg.f32", NegF32<false>),
    RW_FORM("neg.ftz.f32", NegF32<true>),
    RW_FORM("copysign.f32", CopysignF32),
    // expf of CUDA's mathematics splits its argument by these; they stand in rare_float.cpp with their kind.
    RW_FORM("fma.rm.f32", FmaF32<Rounding::Down, false, false>),
    RW_FORM("fma.rm.ftz.f32", FmaF32<Rounding::Down, true, false>),
};

}  // namespace

FormList float32_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
