// Memory that kernels may be handed: what is live, and what was, with the calls that made and ended it.
#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "lib/trace/recorder/call_parameters.h"

namespace ropewalk::trace {

struct Allocation {
  Address address = 0;
  u64 bytes = 0;
  const char* kind = "";     // "device", "managed", "pool", "host", "mapped", "variable"
  const char* made_by = "";  // calls
  const char* freed_by = "";
  u64 made = 0, freed = 0;  // orders of the calls
};

class Allocations {
 public:
  void made(const Allocation& allocation);
  void freed(Address address, const char* by, u64 order);
  // All that begin in a range.
  void unmapped(Address address, u64 bytes, const char* by, u64 order);
  // The live one that the address lies in; bytes is 0 where there is none.
  Allocation holder_of(Address address) const;
  nlohmann::ordered_json json() const;

 private:
  void bury(std::map<Address, Allocation>::iterator at, const char* by, u64 order);

  mutable std::mutex mutex_;
  std::map<Address, Allocation> live_;
  std::deque<Allocation> freed_;  // the latest last
};

}  // namespace ropewalk::trace
