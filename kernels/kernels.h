// The kernels that the programs bring.
#pragma once
#include <string_view>
#include <vector>

#include "lib/families/families.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// All of them; the order is fixed.
const Kernels& shipped_kernels();

inline const std::vector<Kernel>& all_kernels() { return shipped_kernels().all(); }
// Throws InputError that names the nearest known kernel.
inline const Kernel& kernel_named(std::string_view name) { return shipped_kernels().named(name); }

}  // namespace ropewalk::kernels
