#include "lib/trace/arguments.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "lib/ptx/provenance.h"

namespace ropewalk::trace {

namespace {

// How far from known memory a word may lie and still look like an address: a device's memory is within that.
constexpr u64 near_bytes = u64(1) << 38;

using ByteOffsets = std::set<std::pair<u32, u32>>;  // parameter and byte in it

// What the kernel uses as an address.
ByteOffsets address_offsets(const TracedLaunch& launch, const ptx::Module* module) {
  ByteOffsets out;
  const ptx::Function* entry = module ? module->entry(launch.kernel) : nullptr;
  if (!entry) return out;
  for (const ptx::Origin& origin : ptx::address_origins(*module, *entry)) {
    if (origin.parameter >= 0) out.emplace(u32(origin.parameter), u32(origin.offset));
  }
  return out;
}

class Meaning {
 public:
  Meaning(const TracedLaunch& launch, const Snapshot& snapshot) : launch_(launch), snapshot_(snapshot) {
    for (const TracedAllocation& memory : snapshot.allocations) {
      low_ = std::min(low_, memory.address);
      high_ = std::max(high_, memory.address + memory.bytes);
    }
  }

  void fill(ArgumentWord& word, bool is_address) const {
    const TracedAllocation* live = nullptr;
    const TracedAllocation* freed = nullptr;
    for (const TracedAllocation& memory : snapshot_.allocations) {
      if (memory.made > launch_.order || word.value < memory.address || word.value - memory.address >= memory.bytes)
        continue;
      const bool was_live = !memory.freed || memory.freed > launch_.order;
      const TracedAllocation*& of_kind = was_live ? live : freed;
      if (!of_kind || of_kind->made < memory.made) of_kind = &memory;
    }
    if (const TracedAllocation* memory = live ? live : freed) {
      word.state = live ? PointerState::Live : PointerState::Freed;
      word.memory = *memory;
      word.into = word.value - memory->address;
      word.freed_later = live && live->freed;
    } else if (is_address) {
      word.state = word.value ? PointerState::Nowhere : PointerState::Null;
    } else if (low_ < high_ && word.value >= low_ - std::min(low_, near_bytes) &&
               (word.value < high_ || word.value - high_ < near_bytes)) {
      word.state = PointerState::Nowhere;
    }
  }

 private:
  const TracedLaunch& launch_;
  const Snapshot& snapshot_;
  u64 low_ = ~u64(0), high_ = 0;
};

}  // namespace

std::string_view name_of(PointerState state) {
  switch (state) {
    case PointerState::NoPointer:
      return "";
    case PointerState::Null:
      return "null";
    case PointerState::Live:
      return "live";
    case PointerState::Freed:
      return "freed";
    case PointerState::Nowhere:
      return "nowhere";
  }
  return "";
}

std::vector<ArgumentWord> argument_words(const TracedLaunch& launch, const Snapshot& snapshot,
                                         const ptx::Module* module) {
  const Meaning meaning(launch, snapshot);
  const ByteOffsets addresses = address_offsets(launch, module);
  std::vector<ArgumentWord> out;
  for (u32 n = 0; n < launch.parameters.size(); ++n) {
    const TracedParameter& parameter = launch.parameters[n];
    if (u64(parameter.offset) + parameter.bytes > launch.bytes.size()) continue;
    const u32 step = parameter.bytes <= 8 ? std::max(parameter.bytes, 1u) : 8;
    for (u32 at = 0; at + step <= parameter.bytes; at += step) {
      ArgumentWord word{n, at, step};
      std::memcpy(&word.value, launch.bytes.data() + parameter.offset + at, step);
      if (step == 8) meaning.fill(word, addresses.contains({n, at}));
      if (parameter.bytes <= 8 || word.state != PointerState::NoPointer) out.push_back(word);
    }
  }
  return out;
}

u64 launches_before(const Snapshot& snapshot, u64 order) {
  u64 last = 0;
  for (const TracedLaunch& launch : snapshot.launches) {
    if (launch.order < order) last = std::max(last, launch.number);
  }
  return last;
}

}  // namespace ropewalk::trace
