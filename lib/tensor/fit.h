// Arrays of files, made to fit the tensors they are meant for.
#pragma once
#include <string>

#include "lib/tensor/array.h"

namespace ropewalk {

// The array's values as `dtype`, rounded to nearest even. u16 and u8 arrays for bf16, f16 and fp8 are taken as the
// bits. Throws InputError (field: `path`) where an integer dtype cannot hold a value; the message names the element.
Array converted(Array array, Dtype dtype, const std::string& path);

// The same, and the shape must be `shape`. Throws InputError that names both shapes.
Array fitted(Array array, Dtype dtype, const Shape& shape, const std::string& path);

}  // namespace ropewalk
