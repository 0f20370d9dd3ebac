// Shapes and strides of tensors, in elements.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

using Shape = std::vector<i64>;
using Strides = std::vector<i64>;

// Row-major strides without gaps.
Strides contiguous_strides(const Shape& shape);
// Product of the extents; 1 for a scalar.
i64 element_count(const Shape& shape);
// Elements from the first to the last that the tensor reaches, both included; 0 where an extent is 0.
i64 element_span(const Shape& shape, const Strides& strides);
// The same two for shapes and strides that came from outside: nullopt where an extent or a stride is negative or the
// result is beyond 2^63 - 1. An extent of 0 does not make up for the others: the strides of such a shape must fit too.
std::optional<i64> checked_element_count(const Shape& shape);
std::optional<i64> checked_element_span(const Shape& shape, const Strides& strides);
// Offset in elements of an index.
i64 offset_of(const Strides& strides, const std::vector<i64>& index);
// The index of the n-th element in row-major order.
std::vector<i64> index_of(const Shape& shape, i64 n);
// The index whose offset is the largest one not above `offset`; for gap-free strides the element itself. `inside` says
// whether an element starts exactly there and is inside the shape. Works for offsets outside the tensor too: the index
// then runs past the extents of the outermost dimension.
std::vector<i64> index_at_offset(const Shape& shape, const Strides& strides, i64 offset, bool* inside);
// "[2, 128, 8, 64]"
std::string text_of(const std::vector<i64>& values);

}  // namespace ropewalk
