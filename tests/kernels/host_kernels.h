// Our rotary kernels compiled by the host compiler, and launches run on them: what the PTX machine is compared with.
#pragma once
#include <cstddef>
#include <vector>

#include "lib/launch/launch.h"

namespace ropewalk::kernels {

// Bytes of each tensor after the launch, from its first to its last element. Gaps and uninitialised elements hold
// 0xff bytes (NaN) before. A launch must touch its tensors alone. Throws InternalError for an unknown entry.
std::vector<std::vector<std::byte>> run_on_host(const Launch& launch);

}  // namespace ropewalk::kernels
