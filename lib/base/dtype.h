// Element types of tensors and scalars, as launch files name them.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

enum class Dtype : u8 { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, F8E4M3, F8E5M2, TF32, C64 };

// Bytes of one element.
u32 size_of(Dtype dtype);
// "bf16"; the name that launch files, problems and reports use.
std::string_view name_of(Dtype dtype);
// nullopt when no dtype has that name.
std::optional<Dtype> dtype_named(std::string_view name);
// Every dtype, in the order of the enumeration.
const std::vector<Dtype>& all_dtypes();
bool is_floating(Dtype dtype);
bool is_signed_integer(Dtype dtype);
// Bits of the significand with the implicit one (f32: 24, bf16: 8); 0 for integers.
int significand_bits(Dtype dtype);

// The smallest and largest value of an integer dtype (bool: 0 and 1).
struct IntegerRange {
  i64 low = 0;
  u64 high = 0;
};
IntegerRange integer_range(Dtype dtype);

// The element at `bytes` as a double (i64 and u64 beyond 2^53 are rounded; C64 gives its real part).
double load_as_double(const void* bytes, Dtype dtype);
// Writes `value` rounded to nearest even (integers: truncated towards zero and saturated) as one element.
void store_from_double(void* bytes, Dtype dtype, double value);
// The same for `count` elements that follow each other, which is much faster than one by one.
void store_from_doubles(void* bytes, Dtype dtype, const double* values, size_t count);

}  // namespace ropewalk
