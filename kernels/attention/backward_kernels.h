// The attention backward kernels.
//
// lse and delta are what the forward comes to: whoever expects an answer fills them in (lib/compare). In the launch as
// it is here every lse is so large that no key has any weight.
#pragma once
#include <string>
#include <vector>

#include "kernels/checked_in_ptx.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// One backward kernel.
struct BackwardKernel {
  PtxEntries entries;
  bool few = false;  // one entry: f32, D and Dv up to 64
};

// `counterpart` as in Kernel.
Kernel attention_backward_kernel(const std::string& name, const std::string& description, const std::string& source,
                                 const BackwardKernel& kernel, const std::string& counterpart);

std::vector<Kernel> attention_backward_kernels();

}  // namespace ropewalk::kernels
