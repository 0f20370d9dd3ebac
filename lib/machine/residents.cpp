#include "lib/machine/residents.h"

#include <algorithm>

#include "lib/machine/reach.h"

namespace ropewalk::machine {

Residents::Residents(const Launch& launch, const Code& code) {
  const auto is_resident = [](const LaunchTensor& tensor) { return tensor.resident.has_value(); };
  if (std::ranges::none_of(launch.tensors, is_resident)) return;
  const Reached stored = reached_by(launch, code).stores;
  std::vector<bool> is_variable(launch.tensors.size());  // these are reached by name
  for (const LaunchVariable& variable : launch.variables) {
    if (variable.tensor >= 0) is_variable[u32(variable.tensor)] = true;
  }
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    if (!is_resident(tensor) || tensor.freed || !(stored.has(i32(n)) || is_variable[n])) continue;
    const u64 bytes = tensor.bytes();
    Kept kept{.resident = *tensor.resident};
    kept.bytes.assign(kept.resident.data, kept.resident.data + bytes);
    if (const u64* bits = kept.resident.initialized) kept.initialized.assign(bits, bits + (bytes + 63) / 64);
    kept_.push_back(std::move(kept));
  }
}

void Residents::restore() const {
  for (const Kept& kept : kept_) {
    std::ranges::copy(kept.bytes, kept.resident.data);
    std::ranges::copy(kept.initialized, kept.resident.initialized);
  }
}

}  // namespace ropewalk::machine
