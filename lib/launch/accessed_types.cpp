#include "lib/launch/accessed_types.h"

#include <algorithm>

#include "lib/ptx/provenance.h"

namespace ropewalk {

namespace {

Dtype dtype_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::F32:
      return Dtype::F32;
    case ptx::Type::F64:
      return Dtype::F64;
    case ptx::Type::F16:
    case ptx::Type::F16x2:
      return Dtype::F16;
    case ptx::Type::BF16:
    case ptx::Type::BF16x2:
      return Dtype::BF16;
    case ptx::Type::S32:
      return Dtype::I32;
    case ptx::Type::S64:
      return Dtype::I64;
    default:
      break;
  }
  switch (ptx::size_of(type)) {
    case 2:
      return Dtype::U16;
    case 4:
      return Dtype::U32;
    case 8:
      return Dtype::U64;
    default:
      return Dtype::U8;
  }
}

ptx::Type type_of(const ptx::Opcode& opcode) {
  for (const std::string& modifier : opcode.modifiers) {
    if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::None) return type;
  }
  return ptx::Type::None;
}

}  // namespace

std::map<std::pair<u32, u32>, Dtype> accessed_types(const ptx::Module& module, const ptx::Function& entry) {
  std::map<std::pair<u32, u32>, std::map<Dtype, u32>> counts;
  const std::vector<ptx::Origin> origins = ptx::address_origins(module, entry);
  for (u32 n = 0; n < origins.size(); ++n) {
    const ptx::Type type = type_of(module.opcode(entry.instructions[n]));
    if (origins[n].parameter < 0 || type == ptx::Type::None) continue;
    ++counts[{u32(origins[n].parameter), u32(origins[n].offset)}][dtype_of(type)];
  }
  std::map<std::pair<u32, u32>, Dtype> out;
  for (const auto& [origin, count] : counts) {
    out[origin] = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                  })->first;
  }
  return out;
}

}  // namespace ropewalk
