// cvt between integers, of integers to f32 and f64, and of f32 to integers as compilers write it; the rest stands in
// rare_convert_integer.cpp. Numbers that a float has and an integer has not are clamped with .sat and without, so
// canonical opcodes leave .sat out.
#include "lib/machine/arithmetic/convert_integer.h"
#include "lib/machine/handlers/convert_lines.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_INTEGER(from, From, to, To) RW_FORM("cvt." to "." from, ConvertInteger<To, From>)

constexpr FormEntry entries[] = {
    RW_INTEGERS_OF(RW_INTEGER, "u8", U8),         RW_INTEGERS_OF(RW_INTEGER, "s8", S8),
    RW_INTEGERS_OF(RW_INTEGER, "u16", U16),       RW_INTEGERS_OF(RW_INTEGER, "s16", S16),
    RW_INTEGERS_OF(RW_INTEGER, "u32", U32),       RW_INTEGERS_OF(RW_INTEGER, "s32", S32),
    RW_INTEGERS_OF(RW_INTEGER, "u64", U64),       RW_INTEGERS_OF(RW_INTEGER, "s64", S64),
    RW_INTEGERS_OF(RW_NEAREST_FLOAT, "f32", F32), RW_INTEGERS_OF(RW_NEAREST_FLOAT, "f64", F64),
    RW_INTEGERS_OF(RW_OF_F32, "rni", Nearest),    RW_INTEGERS_OF(RW_OF_F32, "rzi", Zero),
};

}  // namespace

FormList convert_integer_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
