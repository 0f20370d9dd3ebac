// cvt between integers with .sat, of integers to halves, of integers to floats with directed roundings or .sat, and of
// floats to integers as compilers hardly write it.
#include "lib/machine/arithmetic/convert_integer.h"
#include "lib/machine/handlers/convert_lines.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_INTEGER(from, From, to, To) RW_FORM("cvt.sat." to "." from, ConvertInteger<To, From, true>)
#define RW_FLOAT(from, From, to, To, name, Mode)                                  \
  RW_FORM("cvt." name "." to "." from, IntegerToFloat<To, From, Rounding::Mode>), \
      RW_FORM("cvt." name ".sat." to "." from, IntegerToFloat<To, From, Rounding::Mode, true>)
#define RW_SATURATED(from, From, to, To) \
  RW_FORM("cvt.rn.sat." to "." from, IntegerToFloat<To, From, Rounding::Nearest, true>)
#define RW_FLOATS(name, Mode)                                                                           \
  RW_INTEGERS_OF(RW_FLOAT, "f16", F16, name, Mode), RW_INTEGERS_OF(RW_FLOAT, "bf16", BF16, name, Mode), \
      RW_INTEGERS_OF(RW_FLOAT, "f32", F32, name, Mode), RW_INTEGERS_OF(RW_FLOAT, "f64", F64, name, Mode)

#define RW_OF_FLOAT(to, To, name, Mode)                                              \
  RW_FORM("cvt." name "." to ".f16", FloatToInteger<To, F16, Rounding::Mode>),       \
      RW_FORM("cvt." name "." to ".bf16", FloatToInteger<To, BF16, Rounding::Mode>), \
      RW_FORM("cvt." name "." to ".f64", FloatToInteger<To, F64, Rounding::Mode>)
#define RW_OF_FLOATS(name, Mode) RW_INTEGERS_OF(RW_OF_FLOAT, name, Mode)

constexpr FormEntry entries[] = {
    RW_INTEGERS_OF(RW_INTEGER, "u8", U8),
    RW_INTEGERS_OF(RW_INTEGER, "s8", S8),
    RW_INTEGERS_OF(RW_INTEGER, "u16", U16),
    RW_INTEGERS_OF(RW_INTEGER, "s16", S16),
    RW_INTEGERS_OF(RW_INTEGER, "u32", U32),
    RW_INTEGERS_OF(RW_INTEGER, "s32", S32),
    RW_INTEGERS_OF(RW_INTEGER, "u64", U64),
    RW_INTEGERS_OF(RW_INTEGER, "s64", S64),
    RW_INTEGERS_OF(RW_NEAREST_FLOAT, "f16", F16),
    RW_INTEGERS_OF(RW_NEAREST_FLOAT, "bf16", BF16),
    RW_INTEGERS_OF(RW_SATURATED, "f16", F16),
    RW_INTEGERS_OF(RW_SATURATED, "bf16", BF16),
    RW_INTEGERS_OF(RW_SATURATED, "f32", F32),
    RW_INTEGERS_OF(RW_SATURATED, "f64", F64),
    RW_DIRECTED_ROUNDINGS(RW_FLOATS),
    RW_INTEGERS_OF(RW_OF_F32, "rmi", Down),
    RW_INTEGERS_OF(RW_OF_F32, "rpi", Up),
    RW_INTEGRAL_ROUNDINGS(RW_OF_FLOATS),
};

}  // namespace

FormList rare_convert_integer_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
