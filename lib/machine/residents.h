// What resident tensors held before a launch, so that it can run once more from there.
#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/code.h"
#include "lib/machine/storage.h"

namespace ropewalk::machine {

// Bytes of resident memory as they were, with what is known to be written of them.
struct SavedBytes {
  Resident at;  // of the first of them
  u64 bytes;
  std::byte* copy;
  u64* initialized = nullptr;

  // first: a multiple of 64. The copies are the storage's.
  SavedBytes(const Resident& resident, u64 first, u64 last, Storage& storage);
  void put_back() const;
};

// The memory of one tensor, of which a chunk is copied before something is stored there for the first time.
class SavedMemory {
 public:
  SavedMemory(const Resident& resident, u64 bytes);
  // Before a store to bytes [first, last); any number of threads may call it.
  void keep(u64 first, u64 last);
  void put_back() const;
  // What the chunks that were copied hold now.
  void copy_again(std::vector<SavedBytes>& to, Storage& storage) const;
  // A byte for each chunk (touched_chunk) that was copied.
  u8* touched() { return touched_.data(); }
  const Resident& resident() const { return resident_; }
  u64 bytes() const { return bytes_; }

 private:
  const Resident resident_;
  const u64 bytes_;
  std::vector<u8> touched_;
  std::mutex mutex_;
  std::vector<SavedBytes> kept_;
  Storage storage_;
};

class Residents {
 public:
  // Of the resident tensors that the code may store to.
  Residents(const Launch& launch, const Code& code);
  // The memory that begins there and has so many bytes or more; nullptr: nothing is stored to it.
  SavedMemory* at(const std::byte* data, u64 bytes);
  // Puts back what was stored over.
  void restore() const;
  // What it was stored over with; put it back after restore().
  std::vector<SavedBytes> stored(Storage& storage) const;

 private:
  std::deque<SavedMemory> kept_;
  std::multimap<const std::byte*, SavedMemory*> by_data_;
};

}  // namespace ropewalk::machine
