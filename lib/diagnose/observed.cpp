#include "lib/diagnose/observed.h"

#include "lib/base/bits.h"
#include "lib/compare/elements.h"

namespace ropewalk::diagnose {

std::optional<Observed> observed(const LaunchTensor& tensor, const Scene& scene) {
  const u64 number = u64(&tensor - scene.launch.tensors.data());
  const i64 count = element_count(tensor.shape);
  if (number >= scene.tensors.size() || !scene.tensors[number].bytes || count == 0 ||
      count > most_elements_of_a_guess) {
    return std::nullopt;
  }
  if (!is_floating(tensor.dtype) || tensor.dtype == Dtype::C64) return std::nullopt;
  const TensorAfter& after = scene.tensors[number];
  const compare::ElementView view(tensor, after);
  const i64 columns = view.columns(), stride = view.strides.back();
  const u64 size = size_of(tensor.dtype);
  Observed out{std::vector<double>(u64(count)), std::vector<bool>(u64(count), true)};
  for (i64 row = 0; row < view.rows(); ++row) {
    const i64 at = view.row_offset(row);
    compare::read_elements(view.bytes + at * i64(size), view.dtype, stride, columns, &out.value[u64(row * columns)]);
    for (i64 column = 0; column < columns; ++column) {
      const u64 byte = u64(at + column * stride) * size;
      const bool held = !after.initialized || all_bits(after.initialized, byte, byte + size);
      const bool lost = after.poisoned && any_bit(after.poisoned, byte, byte + size);
      out.known[u64(row * columns + column)] = held && !lost;
    }
  }
  return out;
}

const Expectation* expectation_of(const LaunchTensor& tensor, const Launch& launch) {
  const u64 number = u64(&tensor - launch.tensors.data());
  for (const Expectation& expectation : launch.expectations) {
    if (expectation.tensor == number && expectation.values && expectation.bound) return &expectation;
  }
  return nullptr;
}

}  // namespace ropewalk::diagnose
