// f16 and bf16 with .ftz, .sat and .xorsign.abs; setp, and set of pairs.
#include "lib/machine/arithmetic/half.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/internal.h"
#include "lib/machine/handlers/relations.h"

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
// The template arguments after the format are .ftz .sat .relu.
#define RW_ARITHMETIC(stem, Function)                                                                          \
  RW_BOTH2(stem ".ftz", "f16", Function<F16, true>), RW_BOTH2(stem ".sat", "f16", Function<F16, false, true>), \
      RW_BOTH2(stem ".ftz.sat", "f16", Function<F16, true, true>)
// After the format .ftz .NaN .xorsign.abs.
#define RW_EXTREME(stem, Function)                                                                                \
  RW_BOTH2(stem ".ftz", "f16", Function<F16, true>), RW_BOTH2(stem ".ftz.NaN", "f16", Function<F16, true, true>), \
      RW_BOTH2(stem ".xorsign.abs", "f16", Function<F16, false, false, true>),                                    \
      RW_BOTH2(stem ".ftz.xorsign.abs", "f16", Function<F16, true, false, true>),                                 \
      RW_BOTH2(stem ".NaN.xorsign.abs", "f16", Function<F16, false, true, true>),                                 \
      RW_BOTH2(stem ".ftz.NaN.xorsign.abs", "f16", Function<F16, true, true, true>),                              \
      RW_BOTH2(stem ".xorsign.abs", "bf16", Function<BF16, false, false, true>),                                  \
      RW_BOTH2(stem ".NaN.xorsign.abs", "bf16", Function<BF16, false, true, true>)
#define RW_SETP(name, R)                                                                                        \
  RW_FORM("setp." name ".f16", Setp<Relation::R, F16>), RW_FORM("setp." name ".bf16", Setp<Relation::R, BF16>), \
      RW_FORM("setp." name ".ftz.f16", Setp<Relation::R, F16, true>),                                           \
      RW_FORM("setp." name ".f16x2", SetpPair<Relation::R, F16, false>),                                        \
      RW_FORM("setp." name ".ftz.f16x2", SetpPair<Relation::R, F16, true>),                                     \
      RW_FORM("setp." name ".bf16x2", SetpPair<Relation::R, BF16, false>)
// set of other types the decoder makes of setp and selp.
#define RW_SET(name, R)                                                                \
  RW_FORM("set." name ".u32.f16x2", SetHalves<Relation::R, U16, F16>),                 \
      RW_FORM("set." name ".s32.f16x2", SetHalves<Relation::R, U16, F16>),             \
      RW_FORM("set." name ".f16x2.f16x2", SetHalves<Relation::R, F16, F16>),           \
      RW_FORM("set." name ".ftz.u32.f16x2", SetHalves<Relation::R, U16, F16, true>),   \
      RW_FORM("set." name ".ftz.s32.f16x2", SetHalves<Relation::R, U16, F16, true>),   \
      RW_FORM("set." name ".ftz.f16x2.f16x2", SetHalves<Relation::R, F16, F16, true>), \
      RW_FORM("set." name ".u32.bf16x2", SetHalves<Relation::R, U16, BF16>),           \
      RW_FORM("set." name ".s32.bf16x2", SetHalves<Relation::R, U16, BF16>),           \
      RW_FORM("set." name ".bf16x2.bf16x2", SetHalves<Relation::R, BF16, BF16>)

constexpr FormEntry entries[] = {
    RW_ARITHMETIC("add", AddHalf),
    RW_ARITHMETIC("sub", SubHalf),
    RW_ARITHMETIC("mul", MulHalf),
    RW_BOTH3("fma.ftz", "f16", FmaHalf<F16, true>),
    RW_BOTH3("fma.sat", "f16", FmaHalf<F16, false, true>),
    RW_BOTH3("fma.ftz.sat", "f16", FmaHalf<F16, true, true>),
    RW_BOTH3("fma.ftz.relu", "f16", FmaHalf<F16, true, false, true>),
    RW_EXTREME("min", MinHalf),
    RW_EXTREME("max", MaxHalf),
    RW_BOTH1("abs.ftz", "f16", AbsHalf<F16, true>),
    RW_BOTH1("neg.ftz", "f16", NegHalf<F16, true>),
    RW_FLOAT_RELATIONS(RW_SETP),
    RW_FLOAT_RELATIONS(RW_SET),
};

}  // namespace

FormList rare_half_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
