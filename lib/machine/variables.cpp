#include "lib/machine/variables.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "lib/machine/address.h"

namespace ropewalk::machine {

namespace {

std::optional<u64> address_named(const ptx::Module& module, const std::string& name) {
  for (u32 id = 0; id < module.functions.size(); ++id) {
    if (module.functions[id].name == name) return address_of_function(id);
  }
  for (u32 id = 0; id < module.variables.size(); ++id) {
    const ptx::Variable& variable = module.variables[id];
    if (variable.name != name) continue;
    const bool in_memory = variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    return in_memory && variable.bytes() > 0 ? address_of_variable(id) : 0;
  }
  return std::nullopt;
}

}  // namespace

u64 address_of_variable(u32 id) { return generic_base(variable_window(id)) + window_lead; }

void fill_variable(const ptx::Module& module, u32 id, std::byte* data, u64 bytes) {
  const ptx::Variable& variable = module.variables[id];
  std::copy_n(variable.initial.data(), std::min<u64>(variable.initial.size(), bytes), reinterpret_cast<u8*>(data));
  for (const auto& relocation : variable.relocations) {
    const auto target = address_named(module, relocation.symbol);
    if (!target || relocation.at >= bytes) continue;
    const u64 address = *target + u64(relocation.offset);
    std::memcpy(data + relocation.at, &address, std::min<u64>(8, bytes - relocation.at));
  }
}

}  // namespace ropewalk::machine
