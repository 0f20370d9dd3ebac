// What only the decoder uses: copies, parts of registers, carries, questions about addresses.
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/internal.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

constexpr FormEntry entries[] = {
    RW_FORM("%move.u8", Move<u8>),
    RW_FORM("%move.u16", Move<u16>),
    RW_FORM("%move.u32", Move<u32>),
    RW_FORM("%move.u64", Move<u64>),
    RW_FORM("%pack.u16", Pack2<u16, u32>),
    RW_FORM("%pack.u32", Pack2<u32, u64>),
    RW_FORM("%unpack.u64.u32", Unpack<u64, u32>),
    RW_FORM("%unpack.u64.u16", Unpack<u64, u16>),
    RW_FORM("%unpack.u32.u16", Unpack<u32, u16>),
    RW_FORM("%unpack.u16.u8", UnpackPredicate),
    RW_FORM("%resize.u16.u32", Resize<U16, U32>),
    RW_FORM("%resize.u16.u64", Resize<U16, U64>),
    RW_FORM("%resize.u32.u16", Resize<U32, U16>),
    RW_FORM("%resize.u32.u64", Resize<U32, U64>),
    RW_FORM("%resize.u64.u16", Resize<U64, U16>),
    RW_FORM("%resize.u64.u32", Resize<U64, U32>),
    RW_FORM("%resize.s16.s32", Resize<S16, U32>),
    RW_FORM("%resize.s16.s64", Resize<S16, U64>),
    RW_FORM("%resize.s32.s16", Resize<U32, U16>),
    RW_FORM("%resize.s32.s64", Resize<S32, U64>),
    RW_FORM("%resize.s64.s16", Resize<U64, U16>),
    RW_FORM("%resize.s64.s32", Resize<U64, U32>),
    RW_FORM("%carry.add.u32", CarryOfAdd<u32>),
    RW_FORM("%carry.add.u64", CarryOfAdd<u64>),
    RW_FORM("%add.carry.u32", AddWithCarry<u32>),
    RW_FORM("%add.carry.u64", AddWithCarry<u64>),
    RW_FORM("%isspace.shared", IsInWindow<shared_window>),
    RW_FORM("%isspace.local", IsInWindow<local_window>),
    RW_FORM("%isspace.param", IsInWindow<parameter_window>),
    RW_FORM("%isspace.global", IsGlobal),
    RW_FORM("%isspace.const", IsNever),
    RW_FORM("%clock.u32", Clock<u32>),
    RW_FORM("%clock.u64", Clock<u64>),
};

}  // namespace

FormList internal_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
