// The kernels that rotate q and k together: kernels/rotary/qk.cu and of
// kernels/faulty/rotary_qk_heads.cu.
#pragma once
#include <vector>

#include "kernels/checked_in_ptx.h"
#include "kernels/rotary/rotary_preconditions.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// One file of such kernels.
struct QkKernel {
  PtxEntries entries;
  bool few_dtypes = false;  // f32 and bf16 with an f32 cache
};

// `missing`: the preconditions that it lacks.
Kernel qk_kernel(const std::string& name, const std::string& description, const std::string& source,
                 const QkKernel& kernel, const std::string& counterpart, const RotaryPreconditions& missing = {});
std::vector<Kernel> rotary_qk_kernels();

}  // namespace ropewalk::kernels
