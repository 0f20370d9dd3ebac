// The kernels of decode attention: against a cache, in parts, and the merge of the parts.
#pragma once
#include <string>
#include <vector>

#include "kernels/checked_in_ptx.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// One kernel: how its launches differ from those of kernels/attention/decode.cu, or merge.cu.
struct DecodeKernel {
  PtxEntries entries;
  bool few = false;           // one entry: f32, Dv up to 64
  bool checks_tables = true;  // asks whether key lengths and pages are in range
};

// `counterpart` as in Kernel.
Kernel attention_decode_kernel(const std::string& name, const std::string& description, const std::string& source,
                               const DecodeKernel& kernel, const std::string& counterpart);
Kernel attention_merge_kernel(const std::string& name, const std::string& description, const std::string& source,
                              const DecodeKernel& kernel, const std::string& counterpart);

std::vector<Kernel> attention_decode_kernels();

}  // namespace ropewalk::kernels
