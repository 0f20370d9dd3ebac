#include "lib/base/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "lib/base/half.h"

namespace ropewalk {
namespace {

struct DtypeInfo {
  std::string_view name;
  u32 size;
  int significand_bits;  // 0: an integer
};

// In the order of the enumeration.
constexpr std::array<DtypeInfo, 17> table{{{"bool", 1, 0},
                                           {"i8", 1, 0},
                                           {"i16", 2, 0},
                                           {"i32", 4, 0},
                                           {"i64", 8, 0},
                                           {"u8", 1, 0},
                                           {"u16", 2, 0},
                                           {"u32", 4, 0},
                                           {"u64", 8, 0},
                                           {"f16", 2, 11},
                                           {"bf16", 2, 8},
                                           {"f32", 4, 24},
                                           {"f64", 8, 53},
                                           {"f8e4m3", 1, 4},
                                           {"f8e5m2", 1, 3},
                                           {"tf32", 4, 11},
                                           {"c64", 8, 24}}};

template <class T>
T load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store(void* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

// Truncated towards zero and saturated; NaN gives 0.
template <class T>
T saturated(double value) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) return 0;
  // 2^(bits of the magnitude) is exact in double, where the largest 64-bit integer is not.
  const double beyond = std::ldexp(1.0, Limits::digits);
  if (value >= beyond) return Limits::max();
  if (std::is_signed_v<T> ? value <= -beyond : value <= 0) return Limits::min();
  return static_cast<T>(value);
}

// The nearest binary32 with 11 significant bits, ties to even; TF32 has the exponents of binary32.
float rounded_to_tf32(double value) {
  const u32 bits = f32_to_bits(f64_to_f32_odd(value));
  if ((bits & 0x7fffffffu) >= 0x7f800000u) return bits_to_f32(bits);
  return bits_to_f32((bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu);
}

}  // namespace

u32 size_of(Dtype dtype) { return table[size_t(dtype)].size; }

std::string_view name_of(Dtype dtype) { return table[size_t(dtype)].name; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (Dtype dtype : all_dtypes()) {
    if (name_of(dtype) == name) return dtype;
  }
  return std::nullopt;
}

const std::vector<Dtype>& all_dtypes() {
  static const std::vector<Dtype> all = [] {
    std::vector<Dtype> dtypes;
    for (size_t i = 0; i < table.size(); ++i) dtypes.push_back(Dtype(i));
    return dtypes;
  }();
  return all;
}

bool is_floating(Dtype dtype) { return significand_bits(dtype) != 0; }

bool is_signed_integer(Dtype dtype) { return dtype >= Dtype::I8 && dtype <= Dtype::I64; }

int significand_bits(Dtype dtype) { return table[size_t(dtype)].significand_bits; }

IntegerRange integer_range(Dtype dtype) {
  if (dtype == Dtype::Bool) return {0, 1};
  const u32 bits = 8 * size_of(dtype);
  const u64 largest = ~u64(0) >> (64 - bits);
  if (!is_signed_integer(dtype)) return {0, largest};
  return {-i64(largest / 2) - 1, largest / 2};
}

double load_as_double(const void* bytes, Dtype dtype) {
  switch (dtype) {
    case Dtype::Bool:
      return load<u8>(bytes) ? 1 : 0;
    case Dtype::I8:
      return load<i8>(bytes);
    case Dtype::I16:
      return load<i16>(bytes);
    case Dtype::I32:
      return load<i32>(bytes);
    case Dtype::I64:
      return double(load<i64>(bytes));
    case Dtype::U8:
      return load<u8>(bytes);
    case Dtype::U16:
      return load<u16>(bytes);
    case Dtype::U32:
      return load<u32>(bytes);
    case Dtype::U64:
      return double(load<u64>(bytes));
    case Dtype::F16:
      return f16_to_f32(load<u16>(bytes));
    case Dtype::BF16:
      return bf16_to_f32(load<u16>(bytes));
    case Dtype::F32:
    case Dtype::TF32:
    case Dtype::C64:
      return load<float>(bytes);
    case Dtype::F64:
      return load<double>(bytes);
    case Dtype::F8E4M3:
      return e4m3_to_f32(load<u8>(bytes));
    case Dtype::F8E5M2:
      return e5m2_to_f32(load<u8>(bytes));
  }
  return 0;
}

void store_from_double(void* bytes, Dtype dtype, double value) { store_from_doubles(bytes, dtype, &value, 1); }

void store_from_doubles(void* bytes, Dtype dtype, const double* values, size_t count) {
  const auto each = [&](auto convert) {
    using Element = decltype(convert(0.0));
    char* out = static_cast<char*>(bytes);
    for (size_t n = 0; n < count; ++n) store<Element>(out + n * sizeof(Element), convert(values[n]));
  };
  switch (dtype) {
    case Dtype::Bool:
      return each([](double value) { return u8(value != 0); });
    case Dtype::I8:
      return each(saturated<i8>);
    case Dtype::I16:
      return each(saturated<i16>);
    case Dtype::I32:
      return each(saturated<i32>);
    case Dtype::I64:
      return each(saturated<i64>);
    case Dtype::U8:
      return each(saturated<u8>);
    case Dtype::U16:
      return each(saturated<u16>);
    case Dtype::U32:
      return each(saturated<u32>);
    case Dtype::U64:
      return each(saturated<u64>);
    case Dtype::F16:
      return each([](double value) { return f64_to_f16(value); });
    case Dtype::BF16:
      return each([](double value) { return f64_to_bf16(value); });
    case Dtype::F32:
      return each([](double value) { return float(value); });
    case Dtype::TF32:
      return each(rounded_to_tf32);
    case Dtype::F64:
      return each([](double value) { return value; });
    case Dtype::F8E4M3:
      return each([](double value) { return f32_to_e4m3(f64_to_f32_odd(value), false); });
    case Dtype::F8E5M2:
      return each([](double value) { return f32_to_e5m2(f64_to_f32_odd(value), false); });
    case Dtype::C64:
      return each([](double value) { return std::array<float, 2>{float(value), 0.0f}; });
  }
}

}  // namespace ropewalk
