// The contract of the attention forward kernels.
#pragma once
#include <string>
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

// `stem`: of the kernel's PTX, and the prefix of its entries. `healthy_twin` as in KernelFamily.
KernelFamily attention_forward_family(const std::string& name, const std::string& description,
                                      const std::string& source, const std::string& stem,
                                      const std::string& healthy_twin);

std::vector<KernelFamily> attention_forward_families();

}  // namespace ropewalk
