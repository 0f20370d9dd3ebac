// and or xor not cnot lop3, shifts, fields and permutations of bits.
#include "lib/machine/arithmetic/bits.h"
#include "lib/machine/arithmetic/logic.h"
#include "lib/machine/arithmetic/permute.h"
#include "lib/machine/arithmetic/shift.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_BITS(stem, Function) \
  RW_FORM(stem ".b16", Function<u16>), RW_FORM(stem ".b32", Function<u32>), RW_FORM(stem ".b64", Function<u64>)

constexpr FormEntry entries[] = {
    RW_BITS("and", And),
    RW_BITS("or", Or),
    RW_BITS("xor", Xor),
    RW_BITS("not", Not),
    RW_BITS("cnot", Cnot),
    RW_FORM("lop3.b32", Lop3),
    RW_FORM("shl.b16", Shl<B16>),
    RW_FORM("shl.b32", Shl<B32>),
    RW_FORM("shl.b64", Shl<B64>),
    RW_FORM("shr.b16", Shr<U16>),
    RW_FORM("shr.u16", Shr<U16>),
    RW_FORM("shr.s16", Shr<S16>),
    RW_FORM("shr.b32", Shr<U32>),
    RW_FORM("shr.u32", Shr<U32>),
    RW_FORM("shr.s32", Shr<S32>),
    RW_FORM("shr.b64", Shr<U64>),
    RW_FORM("shr.u64", Shr<U64>),
    RW_FORM("shr.s64", Shr<S64>),
    RW_FORM("shf.l.clamp.b32", ShfL<false>),
    RW_FORM("shf.l.wrap.b32", ShfL<true>),
    RW_FORM("shf.r.clamp.b32", ShfR<false>),
    RW_FORM("shf.r.wrap.b32", ShfR<true>),
    RW_FORM("popc.b32", Popc<u32>),
    RW_FORM("popc.b64", Popc<u64>),
    RW_FORM("clz.b32", Clz<u32>),
    RW_FORM("clz.b64", Clz<u64>),
    RW_FORM("brev.b32", Brev<u32>),
    RW_FORM("brev.b64", Brev<u64>),
    RW_FORM("bfind.u32", Bfind<U32, false>),
    RW_FORM("bfind.s32", Bfind<S32, false>),
    RW_FORM("bfind.u64", Bfind<U64, false>),
    RW_FORM("bfind.s64", Bfind<S64, false>),
    RW_FORM("bfind.shiftamt.u32", Bfind<U32, true>),
    RW_FORM("bfind.shiftamt.s32", Bfind<S32, true>),
    RW_FORM("bfind.shiftamt.u64", Bfind<U64, true>),
    RW_FORM("bfind.shiftamt.s64", Bfind<S64, true>),
    RW_FORM("bfe.u32", Bfe<U32>),
    RW_FORM("bfe.s32", Bfe<S32>),
    RW_FORM("bfe.u64", Bfe<U64>),
    RW_FORM("bfe.s64", Bfe<S64>),
    RW_FORM("bfi.b32", Bfi<u32>),
    RW_FORM("bfi.b64", Bfi<u64>),
    RW_FORM("bmsk.clamp.b32", Bmsk<false>),
    RW_FORM("bmsk.wrap.b32", Bmsk<true>),
    RW_FORM("szext.clamp.u32", Szext<U32, false>),
    RW_FORM("szext.clamp.s32", Szext<S32, false>),
    RW_FORM("szext.wrap.u32", Szext<U32, true>),
    RW_FORM("szext.wrap.s32", Szext<S32, true>),
    RW_FORM("fns.b32", Fns),
    RW_FORM("prmt.b32", Prmt),
    RW_FORM("prmt.b32.f4e", PrmtMode<PermuteMode::F4e>),
    RW_FORM("prmt.b32.b4e", PrmtMode<PermuteMode::B4e>),
    RW_FORM("prmt.b32.rc8", PrmtMode<PermuteMode::Rc8>),
    RW_FORM("prmt.b32.ecl", PrmtMode<PermuteMode::Ecl>),
    RW_FORM("prmt.b32.ecr", PrmtMode<PermuteMode::Ecr>),
    RW_FORM("prmt.b32.rc16", PrmtMode<PermuteMode::Rc16>),
};

}  // namespace

FormList logic_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
