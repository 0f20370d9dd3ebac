#include "lib/machine/residents.h"

#include <algorithm>

#include "lib/machine/memory.h"
#include "lib/machine/reach.h"

namespace ropewalk::machine {

SavedBytes::SavedBytes(const Resident& resident, u64 first, u64 last, Storage& storage)
    : at{resident.data + first, resident.initialized ? resident.initialized + first / 64 : nullptr, 0},
      bytes(last - first),
      copy(storage.take(bytes, false)) {
  std::copy_n(at.data, bytes, copy);
  if (!at.initialized) return;
  const u64 words = (bytes + 63) / 64;
  initialized = reinterpret_cast<u64*>(storage.take(words * sizeof(u64), false));
  std::copy_n(at.initialized, words, initialized);
}

void SavedBytes::put_back() const {
  std::copy_n(copy, bytes, at.data);
  if (initialized) std::copy_n(initialized, (bytes + 63) / 64, at.initialized);
}

SavedMemory::SavedMemory(const Resident& resident, u64 bytes)
    : resident_(resident), bytes_(bytes), touched_((bytes + touched_chunk - 1) / touched_chunk) {}

void SavedMemory::keep(u64 first, u64 last) {
  const std::lock_guard lock(mutex_);
  for (u64 n = first / touched_chunk; n <= (last - 1) / touched_chunk; ++n) {
    if (touched_[n]) continue;
    kept_.emplace_back(resident_, n * touched_chunk, std::min(bytes_, (n + 1) * touched_chunk), storage_);
    __atomic_store_n(&touched_[n], u8(1), __ATOMIC_RELEASE);
  }
}

void SavedMemory::put_back() const {
  for (const SavedBytes& kept : kept_) kept.put_back();
}

void SavedMemory::copy_again(std::vector<SavedBytes>& to, Storage& storage) const {
  for (const SavedBytes& kept : kept_) {
    const u64 first = u64(kept.at.data - resident_.data);
    to.emplace_back(resident_, first, first + kept.bytes, storage);
  }
}

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
    const bool is_stored_to = stored.has(i32(n)) || is_variable[n];
    if (is_resident(tensor) && !tensor.freed && is_stored_to && tensor.bytes() > 0) {
      kept_.emplace_back(*tensor.resident, tensor.bytes());
    }
  }
  for (SavedMemory& one : kept_) {
    by_data_.emplace(one.resident().data, &one);
    if (one.resident().is_aliased) one.keep(0, one.bytes());
  }
  // A store by way of one tensor changes those that share its bytes: these are copied at once.
  SavedMemory* widest = nullptr;  // of those so far, the one that ends last
  for (const auto& [data, one] : by_data_) {
    if (widest && data < widest->resident().data + widest->bytes()) {
      widest->keep(0, widest->bytes());
      one->keep(0, one->bytes());
    }
    if (!widest || data + one->bytes() > widest->resident().data + widest->bytes()) widest = one;
  }
}

SavedMemory* Residents::at(const std::byte* data, u64 bytes) {
  const auto [first, last] = by_data_.equal_range(data);
  const auto it = std::find_if(first, last, [&](const auto& it) { return it.second->bytes() >= bytes; });
  return it == last ? nullptr : it->second;
}

void Residents::restore() const {
  for (const SavedMemory& kept : kept_) kept.put_back();
}

std::vector<SavedBytes> Residents::stored(Storage& storage) const {
  std::vector<SavedBytes> out;
  for (const SavedMemory& kept : kept_) kept.copy_again(out, storage);
  return out;
}

}  // namespace ropewalk::machine
