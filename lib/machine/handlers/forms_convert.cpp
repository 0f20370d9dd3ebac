// cvt among floats as compilers write it; the rest stands in rare_convert.cpp.
#include "lib/machine/arithmetic/convert.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

template <class To, class From, FloatModifiers Modifiers = FloatModifiers{}>
using Convert = ConvertFloat<To, From, Rounding::Nearest, Modifiers>;

#define RW_INTEGRAL(name, Mode) \
  RW_FORM("cvt." name ".f32.f32", ConvertFloat<F32, F32, Rounding::Mode, FloatModifiers{.integral = true}>)

constexpr FormEntry entries[] = {
    RW_FORM("cvt.f32.f16", Convert<F32, F16>),
    RW_FORM("cvt.f32.bf16", Convert<F32, BF16>),
    RW_FORM("cvt.ftz.f32.f16", Convert<F32, F16, FloatModifiers{.ftz = true}>),
    RW_FORM("cvt.sat.f32.f32", Convert<F32, F32, FloatModifiers{.sat = true}>),
    RW_FORM("cvt.f64.f32", Convert<F64, F32>),
    RW_FORM("cvt.rn.f32.f64", Convert<F32, F64>),
    RW_FORM("cvt.rn.f16.f32", Convert<F16, F32>),
    RW_FORM("cvt.rn.bf16.f32", Convert<BF16, F32>),
    RW_FORM("cvt.rn.f16x2.f32", Pack<Convert<F16, F32>>),
    RW_FORM("cvt.rn.bf16x2.f32", Pack<Convert<BF16, F32>>),
    RW_INTEGRAL_ROUNDINGS(RW_INTEGRAL),
};

}  // namespace

FormList convert_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
