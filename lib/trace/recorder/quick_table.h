// A table that is read without a lock in the middle of somebody's launch: keys that were seen lately, before a map
// of all.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::trace {

// Key: with operator== and <=> and hash(); Value: has a member `key`. Values live as long as the table.
template <class Key, class Value>
class QuickTable {
 public:
  // The value of the key; where there is none yet, what `make(key)` returns.
  template <class Make>
  Value& get(const Key& key, const Make& make) {
    std::atomic<Value*>& slot = slots_[key.hash() % slots];
    Value* seen = slot.load(std::memory_order_acquire);
    if (seen && seen->key == key) return *seen;
    const std::lock_guard lock(mutex_);
    Value*& known = map_[key];
    if (!known) {
      owned_.push_back(make(key));
      known = owned_.back().get();
    }
    slot.store(known, std::memory_order_release);
    return *known;
  }
  // The keys that `is_gone` names may come again as something else; their old values stay where they are.
  void forget(const std::function<bool(const Key&)>& is_gone) {
    const std::lock_guard lock(mutex_);
    for (auto& slot : slots_) slot.store(nullptr, std::memory_order_release);
    std::erase_if(map_, [&](const auto& entry) { return is_gone(entry.first); });
  }
  // Visits every value there ever was.
  void for_all(const std::function<void(Value&)>& visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& value : owned_) visit(*value);
  }

 private:
  static constexpr u64 slots = 4096;
  std::array<std::atomic<Value*>, slots> slots_{};
  std::mutex mutex_;
  std::map<Key, Value*> map_;
  std::vector<std::unique_ptr<Value>> owned_;
};

// Spreads the bits of a handle, whose lowest are always zero.
constexpr u64 spread(u64 bits) { return (bits * 0x9e3779b97f4a7c15ull) >> 40; }

}  // namespace ropewalk::trace
