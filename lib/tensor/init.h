// What a tensor holds before a launch.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lib/tensor/array.h"

namespace ropewalk {

struct Uninitialized {};
struct Fill {
  double value = 0;
};
struct Normal {
  u64 seed = 0;
  double mean = 0, std = 1;
};
struct Uniform {
  u64 seed = 0;
  double low = 0, high = 1;
};  // [low, high)
struct Arange {
  double start = 0, step = 1;
};
// Values in row-major order of the tensor's shape, in any dtype; converted element by element. `path` names the file
// they came from, where there was one.
struct Given {
  std::shared_ptr<const Array> array;
  std::string path;
};

using Init = std::variant<Uninitialized, Fill, Normal, Uniform, Arange, Given>;

// The value of the n-th element (row-major) by `init`, before rounding to the tensor's dtype; not for Uninitialized.
// Depends on nothing else, so that any part of a tensor can be filled without the rest.
double value_of(const Init& init, i64 n);

// Writes the elements [first, first + count) in row-major order, rounded to `dtype`, without gaps at `out`. Bytes of a
// Given array of the same dtype are copied as they are, so that 64-bit integers and NaN payloads survive.
void write_values(const Init& init, i64 first, i64 count, Dtype dtype, void* out);

}  // namespace ropewalk
