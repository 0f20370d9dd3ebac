// Arguments as the bytes of a parameter block hold them.
#pragma once
#include <functional>
#include <optional>

#include "lib/launch/launch.h"

namespace ropewalk {

using ArgumentValue = std::variant<TensorArgument, ScalarArgument, NullArgument>;

// What the 8 bytes at `offset` of the parameter mean; nullopt: they are a number, or nothing.
using PointerAt = std::function<std::optional<ArgumentValue>(u32 offset, u64 bits)>;

// The argument that the parameter's bytes make: a pointer or a number, or a struct by value with its pointers.
Argument unpack_argument(const ptx::Variable& parameter, const std::byte* bytes, const PointerAt& pointer_at);

}  // namespace ropewalk
