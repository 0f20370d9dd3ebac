// setp without its Boolean operator, which the decoder makes an operation of its own;
// halves and their pairs stand in rare_half.cpp.
#include "lib/machine/arithmetic/compare.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/relations.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_B16(name, R) RW_FORM("setp." name ".b16", Setp<Relation::R, U16>)
#define RW_B32(name, R) RW_FORM("setp." name ".b32", Setp<Relation::R, U32>)
#define RW_B64(name, R) RW_FORM("setp." name ".b64", Setp<Relation::R, U64>)
#define RW_U16(name, R) RW_FORM("setp." name ".u16", Setp<Relation::R, U16>)
#define RW_U32(name, R) RW_FORM("setp." name ".u32", Setp<Relation::R, U32>)
#define RW_U64(name, R) RW_FORM("setp." name ".u64", Setp<Relation::R, U64>)
#define RW_S16(name, R) RW_FORM("setp." name ".s16", Setp<Relation::R, S16>)
#define RW_S32(name, R) RW_FORM("setp." name ".s32", Setp<Relation::R, S32>)
#define RW_S64(name, R) RW_FORM("setp." name ".s64", Setp<Relation::R, S64>)
#define RW_F32(name, R) \
  RW_FORM("setp." name ".f32", Setp<Relation::R, F32>), RW_FORM("setp." name ".ftz.f32", Setp<Relation::R, F32, true>)
#define RW_F64(name, R) RW_FORM("setp." name ".f64", Setp<Relation::R, F64>)

constexpr FormEntry entries[] = {
    RW_EQUALITY_RELATIONS(RW_B16), RW_EQUALITY_RELATIONS(RW_B32), RW_EQUALITY_RELATIONS(RW_B64),
    RW_UNSIGNED_RELATIONS(RW_U16), RW_UNSIGNED_RELATIONS(RW_U32), RW_UNSIGNED_RELATIONS(RW_U64),
    RW_SIGNED_RELATIONS(RW_S16),   RW_SIGNED_RELATIONS(RW_S32),   RW_SIGNED_RELATIONS(RW_S64),
    RW_FLOAT_RELATIONS(RW_F32),    RW_FLOAT_RELATIONS(RW_F64),
};

}  // namespace

FormList setp_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
