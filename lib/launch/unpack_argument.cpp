#include "lib/launch/unpack_argument.h"

#include <cstring>

namespace ropewalk {

namespace {

Dtype dtype_of_number(const ptx::Variable& parameter, u32 bytes) {
  if (parameter.type == ptx::Type::F32) return Dtype::F32;
  if (parameter.type == ptx::Type::F64) return Dtype::F64;
  return bytes == 8 ? Dtype::U64 : bytes == 4 ? Dtype::U32 : bytes == 2 ? Dtype::U16 : Dtype::U8;
}

// The widest number at a byte of a struct.
u32 width_at(u64 at, u64 bytes) {
  u32 width = 8;
  while (at % width || at + width > bytes) width /= 2;
  return width;
}

}  // namespace

Argument unpack_argument(const ptx::Variable& parameter, const std::byte* bytes, const PointerAt& pointer_at) {
  const u64 size = parameter.bytes();
  u64 bits = 0;
  const bool is_plain = parameter.extents.empty() && (size == 1 || size == 2 || size == 4 || size == 8);
  if (is_plain) {
    std::memcpy(&bits, bytes, size);
    if (size == 8) {
      if (const auto value = pointer_at(0, bits))
        return std::visit([](const auto& one) { return Argument(one); }, *value);
    }
    return ScalarArgument{dtype_of_number(parameter, u32(size)), bits};
  }
  StructArgument whole{size, {}};
  for (u64 at = 0; at < size;) {
    const u32 width = width_at(at, size);
    bits = 0;
    std::memcpy(&bits, bytes + at, width);
    const auto value = width == 8 ? pointer_at(u32(at), bits) : std::nullopt;
    if (value)
      whole.parts.push_back({at, *value});
    else if (bits)
      whole.parts.push_back({at, ScalarArgument{dtype_of_number({.type = ptx::Type::None}, width), bits}});
    at += width;
  }
  return whole;
}

}  // namespace ropewalk
