#include "kernels/launch_parts.h"

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "lib/base/half.h"
#include "lib/base/random.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 made_at_once = i64(1) << 20;  // elements

void store(std::byte* at, Dtype dtype, float value) {
  if (dtype == Dtype::F32) {
    std::memcpy(at, &value, 4);
    return;
  }
  if (dtype != Dtype::F16 && dtype != Dtype::BF16) return store_from_double(at, dtype, value);
  const u16 half = dtype == Dtype::F16 ? f32_to_f16(value) : f32_to_bf16(value);
  std::memcpy(at, &half, 2);
}

u64 seed_of(const Drawn& drawn) { return mix(drawn.seed) ^ mix(drawn.stream); }

template <class Value>
Init filled(const Drawn& drawn, const Shape& shape, Value value) {
  const i64 count = element_count(shape);
  auto array = std::make_shared<Array>(Array::zeros(drawn.dtype, shape));
  std::byte* at = array->bytes.data();
  const u32 size = size_of(drawn.dtype);
  const u64 seed = seed_of(drawn);
  for (i64 n = 0; n < count; ++n, at += size) store(at, drawn.dtype, value(random_bits(seed, u64(n))));
  return Given{std::move(array), ""};
}

}  // namespace

u32 add_tensor(Launch& launch, LaunchTensor tensor) {
  launch.tensors.push_back(std::move(tensor));
  return u32(launch.tensors.size() - 1);
}

ScalarArgument argument_i32(i64 value) { return {Dtype::I32, u32(i32(value))}; }
ScalarArgument argument_i64(i64 value) { return {Dtype::I64, u64(value)}; }
ScalarArgument argument_f32(float value) { return {Dtype::F32, std::bit_cast<u32>(value)}; }
ScalarArgument argument_f64(double value) { return {Dtype::F64, std::bit_cast<u64>(value)}; }

Init given_values(Dtype dtype, const std::vector<double>& values) {
  return Given{std::make_shared<Array>(Array::of(dtype, {i64(values.size())}, values)), ""};
}

Init given_integers(Dtype dtype, const std::vector<i64>& values) {
  auto array = std::make_shared<Array>(Array::zeros(dtype, {i64(values.size())}));
  const u32 size = size_of(dtype);
  std::byte* at = array->bytes.data();
  // The low bytes are the number in every integer dtype.
  for (const i64 value : values) std::memcpy(std::exchange(at, at + size), &value, size);
  return Given{std::move(array), ""};
}

// The sum of four 16-bit uniform numbers, of mean 131,070 and variance 4 (2^32 - 1) / 12. Bounded by 3.5 deviations,
// exact in f32, and made of one draw.
float bell(u64 bits) {
  const u64 sum = (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
  return float(i64(sum) - 131070) * float(1 / 37837.2);
}

Init drawn_normal(const Drawn& drawn, const Shape& shape, double deviation) {
  if (element_count(shape) > made_at_once) return Normal{seed_of(drawn), 0, deviation};
  return filled(drawn, shape, [factor = float(deviation)](u64 bits) { return bell(bits) * factor; });
}

Init drawn_by(const Drawn& drawn, const Shape& shape, float (*value)(u64 bits)) { return filled(drawn, shape, value); }

}  // namespace ropewalk::kernels
