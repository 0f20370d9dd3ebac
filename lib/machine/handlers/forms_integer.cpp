// add sub abs neg min max sad of integers; min and max of pairs.
#include "lib/machine/arithmetic/integer.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

// A form that does not depend on the sign, in the widths of integers.
#define RW_SIGNLESS(stem, Function)                                                                              \
  RW_FORM(stem ".u16", Function<U16>), RW_FORM(stem ".s16", Function<U16>), RW_FORM(stem ".u32", Function<U32>), \
      RW_FORM(stem ".s32", Function<U32>), RW_FORM(stem ".u64", Function<U64>), RW_FORM(stem ".s64", Function<U64>)
// One that does.
#define RW_SIGNED(stem, Function)                                                                                \
  RW_FORM(stem ".u16", Function<U16>), RW_FORM(stem ".s16", Function<S16>), RW_FORM(stem ".u32", Function<U32>), \
      RW_FORM(stem ".s32", Function<S32>), RW_FORM(stem ".u64", Function<U64>), RW_FORM(stem ".s64", Function<S64>)

constexpr FormEntry entries[] = {
    RW_SIGNLESS("add", Add),
    RW_FORM("add.sat.s32", AddSatS32),
    RW_FORM("add.u16x2", Halves2<Add<U16>>),
    RW_FORM("add.s16x2", Halves2<Add<U16>>),
    RW_SIGNLESS("sub", Sub),
    RW_FORM("sub.sat.s32", SubSatS32),
    RW_FORM("sub.u16x2", Halves2<Sub<U16>>),
    RW_FORM("sub.s16x2", Halves2<Sub<U16>>),
    RW_FORM("abs.s16", Abs<S16>),
    RW_FORM("abs.s32", Abs<S32>),
    RW_FORM("abs.s64", Abs<S64>),
    RW_FORM("neg.s16", Neg<S16>),
    RW_FORM("neg.s32", Neg<S32>),
    RW_FORM("neg.s64", Neg<S64>),
    RW_FORM("neg.s16x2", Halves1<Neg<S16>>),
    RW_SIGNED("min", Min),
    RW_FORM("min.u16x2", Halves2<Min<U16>>),
    RW_FORM("min.s16x2", Halves2<Min<S16>>),
    RW_FORM("min.relu.s32", Min<S32, true>),
    RW_FORM("min.relu.s16x2", Halves2<Min<S16, true>>),
    RW_SIGNED("max", Max),
    RW_FORM("max.u16x2", Halves2<Max<U16>>),
    RW_FORM("max.s16x2", Halves2<Max<S16>>),
    RW_FORM("max.relu.s32", Max<S32, true>),
    RW_FORM("max.relu.s16x2", Halves2<Max<S16, true>>),
    RW_SIGNED("sad", Sad),
};

}  // namespace

FormList integer_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
