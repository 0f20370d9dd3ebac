// cvt of f16 and f32 to integers; of bf16 and f64 in rare_convert_integer.cpp. Its results are clamped with .sat and
// without, so canonical opcodes leave .sat out.
#include "lib/machine/arithmetic/convert_integer.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"
#include "lib/machine/handlers/roundings.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;
using namespace arithmetic::type;

#define RW_TO(to, To, name, Mode)                                                  \
  RW_FORM("cvt." name "." to ".f16", FloatToInteger<To, F16, Rounding::Mode>),     \
      RW_FORM("cvt." name "." to ".f32", FloatToInteger<To, F32, Rounding::Mode>), \
      RW_FORM("cvt." name ".ftz." to ".f32", FloatToInteger<To, F32, Rounding::Mode, true>)
#define RW_INTEGERS(name, Mode) RW_INTEGERS_OF(RW_TO, name, Mode)

constexpr FormEntry entries[] = {RW_INTEGRAL_ROUNDINGS(RW_INTEGERS)};

}  // namespace

FormList convert_to_integer_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
