// add sub mul fma min max abs neg of f16 and bf16 and of their pairs; what is hardly used stands in rare_half.cpp.
#include "lib/machine/arithmetic/half.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

// Of single values and of pairs.
#define RW_BOTH1(modifiers, name, ...) \
  RW_FORM(modifiers "." name, __VA_ARGS__), RW_FORM(modifiers "." name "x2", Halves1<__VA_ARGS__>)
#define RW_BOTH2(modifiers, name, ...) \
  RW_FORM(modifiers "." name, __VA_ARGS__), RW_FORM(modifiers "." name "x2", Halves2<__VA_ARGS__>)
#define RW_BOTH3(modifiers, name, ...) \
  RW_FORM(modifiers "." name, __VA_ARGS__), RW_FORM(modifiers "." name "x2", Halves3<__VA_ARGS__>)

constexpr FormEntry entries[] = {
    RW_BOTH2("add", "f16", AddHalf<F16>),
    RW_BOTH2("add", "bf16", AddHalf<BF16>),
    RW_BOTH2("sub", "f16", SubHalf<F16>),
    RW_BOTH2("sub", "bf16", SubHalf<BF16>),
    RW_BOTH2("mul", "f16", MulHalf<F16>),
    RW_BOTH2("mul", "bf16", MulHalf<BF16>),
    RW_BOTH3("fma", "f16", FmaHalf<F16>),
    RW_BOTH3("fma", "bf16", FmaHalf<BF16>),
    RW_BOTH3("fma.relu", "f16", FmaHalf<F16, false, false, true>),
    RW_BOTH3("fma.relu", "bf16", FmaHalf<BF16, false, false, true>),
    RW_BOTH2("min", "f16", MinHalf<F16>),
    RW_BOTH2("min", "bf16", MinHalf<BF16>),
    RW_BOTH2("min.NaN", "f16", MinHalf<F16, false, true>),
    RW_BOTH2("min.NaN", "bf16", MinHalf<BF16, false, true>),
    RW_BOTH2("max", "f16", MaxHalf<F16>),
    RW_BOTH2("max", "bf16", MaxHalf<BF16>),
    RW_BOTH2("max.NaN", "f16", MaxHalf<F16, false, true>),
    RW_BOTH2("max.NaN", "bf16", MaxHalf<BF16, false, true>),
    RW_BOTH1("abs", "f16", AbsHalf<F16>),
    RW_BOTH1("abs", "bf16", AbsHalf<BF16>),
    RW_BOTH1("neg", "f16", NegHalf<F16>),
    RW_BOTH1("neg", "bf16", NegHalf<BF16>),
};

}  // namespace

FormList half_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
