// Tensors as a program sees them, in the memory that they lie in.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "lib/driver/allocation.h"
#include "lib/launch/launch.h"

namespace ropewalk::driver {

// How the program sees the memory that a pointer parameter leads to. The memory itself is an allocation, or is lent.
struct TensorView {
  u32 parameter = 0;
  u64 address = 0;  // of its first element
  Dtype dtype = Dtype::F32;
  Shape shape;
  Strides strides;  // elements
  u32 device = 0;   // whose memory it is
};

// Makes `tensor`, which covers the allocation, of the shape and type of the views that lie in it. A view of all of the
// memory is the tensor itself, every other one becomes a region, but those whose elements repeat (stride 0). Returns
// for each view the number of its region, -1 where it has none.
std::vector<i32> show_views(LaunchTensor& tensor, const Allocation& at, std::span<const TensorView* const> views,
                            const std::vector<std::string>& names);

}  // namespace ropewalk::driver
