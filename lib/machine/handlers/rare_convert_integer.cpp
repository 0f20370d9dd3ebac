// cvt of integers to floats with directed roundings or .sat, and of bf16 and f64 to integers.
#include "lib/machine/arithmetic/convert_integer.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_FLOAT(from, From, to, To, name, Mode)                                  \
  RW_FORM("cvt." name "." to "." from, IntegerToFloat<To, From, Rounding::Mode>), \
      RW_FORM("cvt." name ".sat." to "." from, IntegerToFloat<To, From, Rounding::Mode, true>)
#define RW_SATURATED(from, From, to, To) \
  RW_FORM("cvt.rn.sat." to "." from, IntegerToFloat<To, From, Rounding::Nearest, true>)
#define RW_FLOATS(name, Mode)                                                                           \
  RW_INTEGERS_OF(RW_FLOAT, "f16", F16, name, Mode), RW_INTEGERS_OF(RW_FLOAT, "bf16", BF16, name, Mode), \
      RW_INTEGERS_OF(RW_FLOAT, "f32", F32, name, Mode), RW_INTEGERS_OF(RW_FLOAT, "f64", F64, name, Mode)

#define RW_TO(to, To, name, Mode)                                                \
  RW_FORM("cvt." name "." to ".bf16", FloatToInteger<To, BF16, Rounding::Mode>), \
      RW_FORM("cvt." name "." to ".f64", FloatToInteger<To, F64, Rounding::Mode>)
#define RW_TO_INTEGERS(name, Mode) RW_INTEGERS_OF(RW_TO, name, Mode)

constexpr FormEntry entries[] = {
    RW_INTEGERS_OF(RW_SATURATED, "f16", F16), RW_INTEGERS_OF(RW_SATURATED, "bf16", BF16),
    RW_INTEGERS_OF(RW_SATURATED, "f32", F32), RW_INTEGERS_OF(RW_SATURATED, "f64", F64),
    RW_DIRECTED_ROUNDINGS(RW_FLOATS),         RW_INTEGRAL_ROUNDINGS(RW_TO_INTEGERS),
};

}  // namespace

FormList rare_convert_integer_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
