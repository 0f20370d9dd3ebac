// rcp sqrt rsqrt div ex2 lg2 sin cos tanh with .approx and .full.
#include "lib/machine/arithmetic/approximate.h"
#include "lib/machine/arithmetic/approximate_half.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_FLUSHED(stem, Function) RW_FORM(stem ".f32", Function<false>), RW_FORM(stem ".ftz.f32", Function<true>)
#define RW_BOTH(modifiers, name, ...) \
  RW_FORM(modifiers "." name, __VA_ARGS__), RW_FORM(modifiers "." name "x2", Halves1<__VA_ARGS__>)

constexpr FormEntry entries[] = {
    RW_FLUSHED("rcp.approx", RcpApproxF32),
    RW_FLUSHED("sqrt.approx", SqrtApproxF32),
    RW_FLUSHED("rsqrt.approx", RsqrtApproxF32),
    RW_FLUSHED("div.full", DivFullF32),
    RW_FLUSHED("div.approx", DivApproxF32),
    RW_FLUSHED("ex2.approx", Ex2ApproxF32),
    RW_FLUSHED("lg2.approx", Lg2ApproxF32),
    RW_FLUSHED("sin.approx", SinApproxF32),
    RW_FLUSHED("cos.approx", CosApproxF32),
    RW_FORM("tanh.approx.f32", TanhApproxF32),
    RW_BOTH("ex2.approx", "f16", Ex2ApproxHalf<F16, false>),
    RW_BOTH("ex2.approx.ftz", "f16", Ex2ApproxHalf<F16, true>),
    RW_BOTH("ex2.approx.ftz", "bf16", Ex2ApproxHalf<BF16, true>),
    RW_BOTH("tanh.approx", "f16", TanhApproxHalf<F16>),
    RW_BOTH("tanh.approx", "bf16", TanhApproxHalf<BF16>),
};

}  // namespace

FormList approximate_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
