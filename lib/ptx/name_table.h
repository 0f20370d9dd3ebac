// A hash table from names to numbers, for the few million look-ups that reading a large module takes.
#pragma once
#include <cstring>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::ptx {

// Open addressing with linear probing. Names are not copied: their text must outlive the table. Nothing is ever taken
// out; a number of `none` says that the name is known without a meaning.
class NameTable {
 public:
  static constexpr u32 none = 0xffffffffu;

  struct Entry {
    std::string_view name;
    u32 hash = 0;
    u32 number = none;
    // Free for the owner: how often the name was declared, and whether it is kept for something else.
    u32 repeats = 0;
    bool is_reserved = false;
  };

  NameTable() : entries_(64) {}

  // nullptr when the name was never inserted. The pointer holds until the next insertion.
  Entry* find(std::string_view name) {
    Entry& entry = entries_[slot_of(name, hash_of(name))];
    return entry.name.data() ? &entry : nullptr;
  }

  // The entry of `name`, made with the number `none` where there was none. The pointer holds until the next insertion.
  Entry* insert(std::string_view name) {
    const u32 hash = hash_of(name);
    u64 slot = slot_of(name, hash);
    if (entries_[slot].name.data()) return &entries_[slot];
    if (2 * (count_ + 1) > entries_.size()) {
      grow();
      slot = slot_of(name, hash);
    }
    ++count_;
    entries_[slot] = Entry{name, hash, none, 0, false};
    return &entries_[slot];
  }

 private:
  static u64 word_at(const char* text, u64 bytes) {
    u64 word = 0;
    std::memcpy(&word, text, bytes);
    return word;
  }

  // Eight bytes a step, multiplied and folded; the constants are odd numbers with well-mixed bits.
  static u32 hash_of(std::string_view name) {
    const char* text = name.data();
    u64 left = name.size(), hash = left * 0x9e3779b97f4a7c15ull;
    for (; left >= 8; text += 8, left -= 8) {
      hash = (hash ^ word_at(text, 8)) * 0xd1342543de82ef95ull;
      hash ^= hash >> 32;
    }
    if (left) {
      // The tail in two overlapping reads of constant length, which is what makes short names fast.
      u64 tail;
      if (left >= 4) {
        tail = word_at(text, 4) | word_at(text + left - 4, 4) << 32;
      } else {
        tail = u64(u8(text[0])) | u64(u8(text[left / 2])) << 8 | u64(u8(text[left - 1])) << 16;
      }
      hash = (hash ^ tail) * 0xd1342543de82ef95ull;
      hash ^= hash >> 32;
    }
    hash *= 0x94d049bb133111ebull;
    return u32(hash >> 32);
  }

  u64 slot_of(std::string_view name, u32 hash) const {
    const u64 mask = entries_.size() - 1;
    u64 slot = hash & mask;
    while (entries_[slot].name.data() && (entries_[slot].hash != hash || entries_[slot].name != name)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    const u64 mask = entries_.size() - 1;
    for (const Entry& entry : old) {
      if (!entry.name.data()) continue;
      u64 slot = entry.hash & mask;
      while (entries_[slot].name.data()) slot = (slot + 1) & mask;
      entries_[slot] = entry;
    }
  }

  std::vector<Entry> entries_;
  u64 count_ = 0;
};

}  // namespace ropewalk::ptx
