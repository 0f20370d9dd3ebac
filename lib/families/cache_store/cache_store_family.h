// The family of kernels that write to a KV cache, as all engines know it.
#pragma once
#include "lib/family/family.h"

namespace ropewalk::cache_store {

const Family& family();

}  // namespace ropewalk::cache_store
