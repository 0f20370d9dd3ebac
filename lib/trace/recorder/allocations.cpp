#include "lib/trace/recorder/allocations.h"

namespace ropewalk::trace {

namespace {

constexpr std::size_t most_freed = 4096;

nlohmann::ordered_json json_of(const Allocation& allocation) {
  return {{"address", allocation.address}, {"bytes", allocation.bytes}, {"kind", allocation.kind},
          {"made_by", allocation.made_by}, {"made", allocation.made},   {"freed_by", allocation.freed_by},
          {"freed", allocation.freed}};
}

}  // namespace

void Allocations::made(const Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  live_[allocation.address] = allocation;
}

void Allocations::bury(std::map<Address, Allocation>::iterator at, const char* by, u64 order) {
  at->second.freed_by = by;
  at->second.freed = order;
  freed_.push_back(at->second);
  if (freed_.size() > most_freed) freed_.pop_front();
  live_.erase(at);
}

void Allocations::freed(Address address, const char* by, u64 order) {
  const std::lock_guard lock(mutex_);
  if (const auto at = live_.find(address); at != live_.end()) bury(at, by, order);
}

void Allocations::unmapped(Address address, u64 bytes, const char* by, u64 order) {
  const std::lock_guard lock(mutex_);
  for (auto at = live_.lower_bound(address); at != live_.end() && at->first < address + bytes;) bury(at++, by, order);
}

Allocation Allocations::holder_of(Address address) const {
  const std::lock_guard lock(mutex_);
  auto at = live_.upper_bound(address);
  if (at == live_.begin()) return {};
  --at;
  return address < at->first + at->second.bytes ? at->second : Allocation{};
}

nlohmann::ordered_json Allocations::json() const {
  const std::lock_guard lock(mutex_);
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& [address, allocation] : live_) out.push_back(json_of(allocation));
  for (const Allocation& allocation : freed_) out.push_back(json_of(allocation));
  return out;
}

}  // namespace ropewalk::trace
