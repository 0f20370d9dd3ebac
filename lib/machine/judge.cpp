#include "lib/machine/judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/base/half.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

constexpr std::size_t most_reads = std::size_t(1) << 22;

// Sums of the lanes of a warp are made in five steps, each of which rounds; what fusing a product into one changes is of
// that size too. Twice that, for two sums.
constexpr double units = 16;

bool differ_by_rounding(double a, double b, double unit) {
  return std::isnormal(a) && std::isnormal(b) && std::abs(a - b) <= units * unit * std::max(std::abs(a), std::abs(b));
}

template <class Bits, class Value>
bool all_differ_by_rounding(const std::byte* a, const std::byte* b, u32 bytes, double unit, Value value) {
  for (u32 at = 0; at + sizeof(Bits) <= bytes; at += sizeof(Bits)) {
    Bits one, other;
    std::memcpy(&one, a + at, sizeof one);
    std::memcpy(&other, b + at, sizeof other);
    if (one != other && !differ_by_rounding(value(one), value(other), unit)) return false;
  }
  return true;
}

// By the type of the store; of untyped bits, which hold integers as well, what is a normal number as a float of their
// width is taken for one.
bool differ_by_rounding(const AccessEvent& event) {
  if (!event.stored || !event.data) return false;
  const MemoryStep& memory = *event.step.memory;
  switch (memory.element_bytes) {
    case 8:
      return memory.type == ptx::Type::F64 &&
             all_differ_by_rounding<u64>(event.data, event.stored, event.bytes, 0x1p-52, [](u64 bits) { return __builtin_bit_cast(double, bits); });
    case 4:
      return (memory.type == ptx::Type::F32 || memory.type == ptx::Type::B32) &&
             all_differ_by_rounding<u32>(event.data, event.stored, event.bytes, 0x1p-23, [](u32 bits) { return double(__builtin_bit_cast(float, bits)); });
    default: return false;
  }
}

}  // namespace

void RaceJudge::note(const AccessEvent& event, const order::Footprint& now, const order::Footprint& earlier, u32 lane, u64 granule) {
  Conflict it{event.space == MemorySpace::Shared, event.window_number, now.step, earlier.step, 0, Kind::Write};
  if (!now.writes() || !earlier.writes()) {
    it.kind = Kind::Read;
    it.read_step = now.writes() ? earlier.step : now.step;
    const u64 read = now.writes() ? key_of(earlier.block, earlier.warp * lanes_per_warp + lane, earlier.step, granule)
                                  : key_of(now.block, event.thread(), now.step, granule);
    if (reads_.size() < most_reads) reads_.insert(read);
  } else if (now.step == earlier.step && now.block == earlier.block && now.warp == earlier.warp && differ_by_rounding(event)) {
    it.kind = Kind::Rounding;
  }
  conflicts_.insert(it);
}

u64 RaceJudge::raced_bytes(AccessEvent& event, u32& source) const {
  source = UnwrittenReads::none;
  const bool is_shared = event.space == MemorySpace::Shared;
  if (!follows_ || event.kind != AccessKind::Load || (!is_shared && !event.window)) return 0;
  Block& block = *event.context.block;
  const LaunchState& launch = *block.launch;
  const u32 granule = is_shared ? block.order->shared.granule_bytes()
                                : launch.order->global(launch.memory.whole(event.window_number)).granule_bytes();
  u64 bytes = 0;
  for (u32 byte = 0; byte < event.bytes; ++byte) {
    const u64 key = key_of(block.number, event.thread(), event.step_index, (u64(event.offset) + byte) / granule);
    bytes |= u64(reads_.contains(key)) << byte;
  }
  if (bytes == 0) return 0;
  if (!event.raced) event.raced = block.unwritten.add(event.occurrence(is_shared ? Rule::SharedRace : Rule::GlobalRace));
  source = event.raced;
  return bytes;
}

bool RaceJudge::all_are_writes(const Collector& found) const {
  std::set<Place> written;
  for (const Conflict& it : conflicts_) {
    if (it.kind != Kind::Write) continue;
    written.emplace(it.is_shared, it.window, it.step);
    written.emplace(it.is_shared, it.window, it.other_step);
  }
  return std::all_of(found.found().begin(), found.found().end(), [&](const auto& entry) {
    const Occurrence& it = entry.second.example;
    const bool is_race = it.rule == Rule::SharedRace || it.rule == Rule::GlobalRace;
    return !is_race || written.contains({it.rule == Rule::SharedRace, it.window, it.step});
  });
}

void RaceJudge::decide(const Collector& told) {
  std::set<Place> used;
  for (const auto& [key, collected] : told.found()) {
    const Occurrence& it = collected.example;
    if (it.rule == Rule::SharedRace || it.rule == Rule::GlobalRace) used.emplace(it.rule == Rule::SharedRace, it.window, it.step);
  }
  for (const Conflict& it : conflicts_) {
    const bool is_rounding = it.kind == Kind::Rounding;
    const bool matters = it.kind == Kind::Write || (it.kind == Kind::Read && used.contains({it.is_shared, it.window, it.read_step}));
    for (const u32 step : {it.step, it.other_step}) {
      const Place place{it.is_shared, it.window, step};
      seen_.insert(place);
      if (matters) mattering_.insert(place);
      if (is_rounding) rounded_.insert(place);
    }
  }
}

bool RaceJudge::is_idle(const Occurrence& race) const {
  if (reads_.size() >= most_reads) return false;
  const Place place{race.rule == Rule::SharedRace, race.window, race.step};
  return seen_.contains(place) && !mattering_.contains(place);
}

bool RaceJudge::is_rounding(const Occurrence& race) const {
  return is_idle(race) && rounded_.contains({race.rule == Rule::SharedRace, race.window, race.step});
}

}  // namespace ropewalk::machine
