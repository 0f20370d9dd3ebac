// cvt of integers to integers, and to floats with .rn; other roundings stand in rare_convert_integer.cpp.
#include "lib/machine/arithmetic/convert_integer.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_TO(from, From, to, To) \
  RW_FORM("cvt." to "." from, ConvertInteger<To, From>), RW_FORM("cvt.sat." to "." from, ConvertInteger<To, From, true>)
#define RW_FLOAT(from, From, to, To) RW_FORM("cvt.rn." to "." from, IntegerToFloat<To, From, Rounding::Nearest>)

constexpr FormEntry entries[] = {
    RW_INTEGERS_OF(RW_TO, "u8", U8),        RW_INTEGERS_OF(RW_TO, "s8", S8),      RW_INTEGERS_OF(RW_TO, "u16", U16),
    RW_INTEGERS_OF(RW_TO, "s16", S16),      RW_INTEGERS_OF(RW_TO, "u32", U32),    RW_INTEGERS_OF(RW_TO, "s32", S32),
    RW_INTEGERS_OF(RW_TO, "u64", U64),      RW_INTEGERS_OF(RW_TO, "s64", S64),    RW_INTEGERS_OF(RW_FLOAT, "f16", F16),
    RW_INTEGERS_OF(RW_FLOAT, "bf16", BF16), RW_INTEGERS_OF(RW_FLOAT, "f32", F32), RW_INTEGERS_OF(RW_FLOAT, "f64", F64),
};

}  // namespace

FormList convert_integer_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
