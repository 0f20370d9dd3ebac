// add sub mul fma div rcp sqrt min max abs neg copysign of f64, and its gross approximations.
#include "lib/machine/arithmetic/float64.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;

// Canonical opcodes leave .rn out of these.
#define RW_ARITHMETIC(stem, Function)                                                              \
  RW_FORM(stem ".f64", Function<Rounding::Nearest>), RW_FORM(stem ".rz.f64", Function<Rounding::Zero>), \
      RW_FORM(stem ".rm.f64", Function<Rounding::Down>), RW_FORM(stem ".rp.f64", Function<Rounding::Up>)
#define RW_DIV(name, Mode) RW_FORM("div." name ".f64", DivF64<Rounding::Mode>)
#define RW_RCP(name, Mode) RW_FORM("rcp." name ".f64", RcpF64<Rounding::Mode>)
#define RW_SQRT(name, Mode) RW_FORM("sqrt." name ".f64", SqrtF64<Rounding::Mode>)

constexpr FormEntry entries[] = {
    RW_ARITHMETIC("add", AddF64),
    RW_ARITHMETIC("sub", SubF64),
    RW_ARITHMETIC("mul", MulF64),
    RW_ARITHMETIC("fma", FmaF64),
    RW_ROUNDINGS(RW_DIV),
    RW_ROUNDINGS(RW_RCP),
    RW_ROUNDINGS(RW_SQRT),
    RW_FORM("min.f64", MinF64),
    RW_FORM("max.f64", MaxF64),
    RW_FORM("abs.f64", AbsF64),
    RW_FORM("neg.f64", NegF64),
    RW_FORM("copysign.f64", CopysignF64),
    RW_FORM("rcp.approx.ftz.f64", RcpApproxF64),
    RW_FORM("rsqrt.approx.ftz.f64", RsqrtApproxF64),
};

}  // namespace

FormList float64_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
