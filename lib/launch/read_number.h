// Numbers of a launch file as elements of a dtype.
#pragma once
#include <memory>

#include "lib/base/dtype.h"
#include "lib/base/json.h"
#include "lib/tensor/array.h"

namespace ropewalk {

// Writes the number at `cursor` as one element, rounded to nearest even. Integer dtypes take whole numbers in their
// range (64-bit ones exactly), bool also true and false; float dtypes also "nan", "inf" and "-inf"; c64 also [re, im].
// Throws InputError where the number does not fit.
void read_element(const JsonCursor& cursor, Dtype dtype, void* element);

// The flat list at `cursor` as an array of this shape in row-major order. Throws InputError where the list is not as
// long as the shape demands.
std::shared_ptr<const Array> read_values(const JsonCursor& cursor, Dtype dtype, const Shape& shape);

}  // namespace ropewalk
