// add sub mul fma div rcp sqrt min max abs neg copysign of f64, and its gross approximations; directed roundings stand
// in rare_float.cpp.
#include "lib/machine/arithmetic/float64.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;

constexpr FormEntry entries[] = {
    // Canonical opcodes leave .rn out of these.
    RW_FORM("add.f64", AddF64<Rounding::Nearest>),
    RW_FORM("sub.f64", SubF64<Rounding::Nearest>),
    RW_FORM("mul.f64", MulF64<Rounding::Nearest>),
    RW_FORM("fma.f64", FmaF64<Rounding::Nearest>),
    RW_FORM("div.rn.f64", DivF64<Rounding::Nearest>),
    RW_FORM("rcp.rn.f64", RcpF64<Rounding::Nearest>),
    RW_FORM("sqrt.rn.f64", SqrtF64<Rounding::Nearest>),
    RW_FORM("min.f64", MinF64),
    RW_FORM("max.f64", MaxF64),
    RW_FORM("abs.f64", AbsF64),
    RW_FORM("neg.f64", NegF64),
    RW_FORM("copysign.f64", CopysignF64),
    RW_FORM("rcp.approx.ftz.f64", RcpApproxF64),
    RW_FORM("rsqrt.approx.ftz.f64", RsqrtApproxF64),
    RW_FORM("rsqrt.approx.f64", RsqrtF64),
};

}  // namespace

FormList float64_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
