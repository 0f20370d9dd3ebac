// The contract of the kernels that rotate q and k together: kernels/rotary/qk.cu and its faulty copies.
#pragma once
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

std::vector<KernelFamily> rotary_qk_families();

}  // namespace ropewalk
