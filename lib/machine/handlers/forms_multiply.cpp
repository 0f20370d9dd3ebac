// mul mad mul24 mad24 div rem dp4a dp2a.
#include "lib/machine/arithmetic/divide.h"
#include "lib/machine/arithmetic/dot.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

constexpr FormEntry entries[] = {
    RW_FORM("mul.lo.u16", MulLo<U16>),
    RW_FORM("mul.lo.s16", MulLo<U16>),
    RW_FORM("mul.lo.u32", MulLo<U32>),
    RW_FORM("mul.lo.s32", MulLo<U32>),
    RW_FORM("mul.lo.u64", MulLo<U64>),
    RW_FORM("mul.lo.s64", MulLo<U64>),
    RW_FORM("mul.hi.u16", MulHi<U16>),
    RW_FORM("mul.hi.s16", MulHi<S16>),
    RW_FORM("mul.hi.u32", MulHi<U32>),
    RW_FORM("mul.hi.s32", MulHi<S32>),
    RW_FORM("mul.hi.u64", MulHi<U64>),
    RW_FORM("mul.hi.s64", MulHi<S64>),
    RW_FORM("mul.wide.u16", MulWide<U16>),
    RW_FORM("mul.wide.s16", MulWide<S16>),
    RW_FORM("mul.wide.u32", MulWide<U32>),
    RW_FORM("mul.wide.s32", MulWide<S32>),
    RW_FORM("mad.lo.u16", MadLo<U16>),
    RW_FORM("mad.lo.s16", MadLo<U16>),
    RW_FORM("mad.lo.u32", MadLo<U32>),
    RW_FORM("mad.lo.s32", MadLo<U32>),
    RW_FORM("mad.lo.u64", MadLo<U64>),
    RW_FORM("mad.lo.s64", MadLo<U64>),
    RW_FORM("mad.hi.u16", MadHi<U16>),
    RW_FORM("mad.hi.s16", MadHi<S16>),
    RW_FORM("mad.hi.u32", MadHi<U32>),
    RW_FORM("mad.hi.s32", MadHi<S32>),
    RW_FORM("mad.hi.u64", MadHi<U64>),
    RW_FORM("mad.hi.s64", MadHi<S64>),
    RW_FORM("mad.hi.sat.s32", MadHiSatS32),
    RW_FORM("mad.wide.u16", MadWide<U16>),
    RW_FORM("mad.wide.s16", MadWide<S16>),
    RW_FORM("mad.wide.u32", MadWide<U32>),
    RW_FORM("mad.wide.s32", MadWide<S32>),
    RW_FORM("mul24.lo.u32", Mul24Lo<U32>),
    RW_FORM("mul24.lo.s32", Mul24Lo<S32>),
    RW_FORM("mul24.hi.u32", Mul24Hi<U32>),
    RW_FORM("mul24.hi.s32", Mul24Hi<S32>),
    RW_FORM("mad24.lo.u32", Mad24Lo<U32>),
    RW_FORM("mad24.lo.s32", Mad24Lo<S32>),
    RW_FORM("mad24.hi.u32", Mad24Hi<U32>),
    RW_FORM("mad24.hi.s32", Mad24Hi<S32>),
    RW_FORM("mad24.hi.sat.s32", Mad24HiSatS32),
    RW_FORM("div.u16", Div<U16>),
    RW_FORM("div.s16", Div<S16>),
    RW_FORM("div.u32", Div<U32>),
    RW_FORM("div.s32", Div<S32>),
    RW_FORM("div.u64", Div<U64>),
    RW_FORM("div.s64", Div<S64>),
    RW_FORM("rem.u16", Rem<U16>),
    RW_FORM("rem.s16", Rem<S16>),
    RW_FORM("rem.u32", Rem<U32>),
    RW_FORM("rem.s32", Rem<S32>),
    RW_FORM("rem.u64", Rem<U64>),
    RW_FORM("rem.s64", Rem<S64>),
    RW_FORM("dp4a.u32.u32", Dp4a<false, false>),
    RW_FORM("dp4a.u32.s32", Dp4a<false, true>),
    RW_FORM("dp4a.s32.u32", Dp4a<true, false>),
    RW_FORM("dp4a.s32.s32", Dp4a<true, true>),
    RW_FORM("dp2a.lo.u32.u32", Dp2a<false, false, false>),
    RW_FORM("dp2a.lo.u32.s32", Dp2a<false, false, true>),
    RW_FORM("dp2a.lo.s32.u32", Dp2a<false, true, false>),
    RW_FORM("dp2a.lo.s32.s32", Dp2a<false, true, true>),
    RW_FORM("dp2a.hi.u32.u32", Dp2a<true, false, false>),
    RW_FORM("dp2a.hi.u32.s32", Dp2a<true, false, true>),
    RW_FORM("dp2a.hi.s32.u32", Dp2a<true, true, false>),
    RW_FORM("dp2a.hi.s32.s32", Dp2a<true, true, true>),
};

}  // namespace

FormList multiply_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
