// What a kernel's pointers point to, as its instructions say.
#pragma once
#include <map>
#include <utility>

#include "lib/base/dtype.h"
#include "lib/ptx/module.h"

namespace ropewalk {

// By parameter and byte in it: the type that most instructions access through the pointer there.
std::map<std::pair<u32, u32>, Dtype> accessed_types(const ptx::Module& module, const ptx::Function& entry);

}  // namespace ropewalk
