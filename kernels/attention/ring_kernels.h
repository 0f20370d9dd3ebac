// The ring attention kernels, forward and backward.
//
// Each rank's part of a tensor is a tensor of its own: "q.rank0", "q.rank1", ... As in backward_kernels.h, whoever
// expects an answer of the backward fills in lse and delta.
#pragma once
#include <string>
#include <vector>

#include "kernels/checked_in_ptx.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// One ring kernel.
struct RingKernel {
  PtxEntries entries;
  bool backward = false;
  bool few = false;  // one entry: f32, Dv up to 64, in the backward D as well
};

// `counterpart` as in Kernel.
Kernel attention_ring_kernel(const std::string& name, const std::string& description, const std::string& source,
                             const RingKernel& kernel, const std::string& counterpart);

std::vector<Kernel> attention_ring_kernels();

}  // namespace ropewalk::kernels
