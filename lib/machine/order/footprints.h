// The accesses to a piece of memory that later ones may race with: of each granule the last weak write, with those of
// the same value before it, and all that came after it and is no weak write, by warp.
#pragma once
#include <unordered_map>
#include <vector>

#include "lib/machine/order/clock.h"
#include "lib/machine/order/scope.h"

namespace ropewalk::machine::order {

enum class Touch : u8 { WeakRead, StrongRead, StrongWrite, WeakWrite };

// A thread that read what others wrote, and its time then (Clock).
struct Observer {
  u64 block = 0;
  u32 thread = 0, time = 0;  // time 0: nobody did
};

// What lanes of one warp did at one time.
struct Footprint {
  u64 block = 0;
  u32 lanes = 0;  // 0: nobody
  u32 time = 0;   // of the block (Clock)
  u32 step = 0;
  u32 phase = 0;  // of the block: what was done in an earlier one happened before (Block::full_time)
  u16 warp = 0;
  Touch touch = Touch::WeakRead;
  Scope scope = Scope::System;  // of a strong one
  u8 bytes = 0;                 // of a strong one
  bool reads = false;           // an atomic, too, reads, if its result is used
  bool updates = false;         // of a strong one: the load or the store of an update in two steps
  bool noncoherent = false;     // a load that nothing orders behind a write, not even one of its own thread
  bool changes = true;          // of a write: not all that was ever written there was there before
  bool was_read = false;        // of a weak write: what was there before it was read, so that a cache may still have it
  // Of a strong write: who read it last by a strong read. What comes after that read comes after the write, too (PTX
  // ISA, causality order: what is observed is ordered), though not after what went before it.
  Observer seen;
  u32 number = 0;  // among those of its cell

  // Of a read: lanes of which it is noted already that they race with a write by that step (RaceJudge).
  mutable u32 noted_step = ~u32(0), noted_lanes = 0;

  bool writes() const { return touch >= Touch::StrongWrite; }
  u32 open_lanes(const Footprint& now) const { return noted_step == now.step ? lanes & ~noted_lanes : lanes; }
  void note_lane(const Footprint& now, u32 lane) const {
    if (writes()) return;
    if (noted_step != now.step) noted_lanes = 0;
    noted_step = now.step;
    noted_lanes |= 1u << lane;
  }
  bool is_strong() const { return touch == Touch::StrongRead || touch == Touch::StrongWrite; }
};

// Whether two accesses of different threads race where neither happens before the other: one writes, and they are not
// both strong, at all of the same bytes, with scopes that include the other's thread.
inline bool conflict(const Footprint& a, const Footprint& b) {
  if (!a.writes() && !b.writes()) return false;
  const bool reach = a.block == b.block || (leaves_block(a.scope) && leaves_block(b.scope));
  return !(a.is_strong() && b.is_strong() && reach && a.bytes == b.bytes);
}

// Whether one of two updates of a location in two steps may be lost: the other one's store is not ordered with both of
// its steps, though all of these are strong.
inline bool may_lose_update(const Footprint& earlier, const Footprint& now) {
  return earlier.updates && now.updates && earlier.writes();
}

inline Footprint as_unchanged(Footprint write) {
  write.changes = false;
  return write;
}

// The lanes of `earlier` that are not the thread of `now` and whose accesses are not among what that thread knows.
u32 unordered_lanes(const Footprint& earlier, const Footprint& now, const Clock* known);

class Footprints {
 public:
  // of_one_block: of its shared memory.
  Footprints(u32 granule_bytes, bool of_one_block) : granule_(granule_bytes), of_one_block_(of_one_block) {}
  u32 granule_bytes() const { return granule_; }

  // Notes an access of one lane to bytes [first, first + bytes). Calls race(earlier, lane, granule) with each access
  // that it races with, until that is false; `writes_race`: two weak writes, too, which they do not where both store
  // the same; `same_too`: a read also with writes of the value that is there before the last one, which change nothing.
  template <class Race>
  void add(u64 first, u64 bytes, const Footprint& now, const Clock* known, bool writes_race, bool same_too, Race race) {
    bool looks = true;
    for (u64 g = first / granule_; g <= (first + bytes - 1) / granule_; ++g) {
      Cell& cell = cell_at(g);
      const auto look = [&](const Footprint& earlier) {
        if (!looks) return;
        const bool is_lost = may_lose_update(earlier, now) && !cell.is_read_since(earlier, now, known);
        if (!is_lost && !conflict(earlier, now)) return;
        const u32 open = earlier.open_lanes(now);
        if (open == 0) return;
        if (earlier.touch == Touch::WeakWrite && now.touch == Touch::WeakWrite && !writes_race) return;
        const u32 unordered = now.noncoherent ? earlier.lanes : unordered_lanes(earlier, now, known);
        for (u32 lanes = open & unordered; lanes && looks; lanes &= lanes - 1) {
          looks = race(earlier, u32(__builtin_ctz(lanes)), g);
        }
      };
      look(now.writes() ? cell.write : cell.write_before(now, known));
      if (same_too && !now.writes()) {
        for (const Footprint& earlier : cell.same) look(as_unchanged(earlier));
      }
      const bool agrees = cell.agrees_with(now, of_one_block_);
      if (!agrees) {
        cell.settle();
        for (const Footprint& earlier : cell.others) look(earlier);
      }
      if (now.reads && now.is_strong()) see(cell, now, agrees);
      note(cell, now, agrees);
    }
  }

  // Whether bytes were all written last, and weakly, by a step for which that holds, and nobody has read them since, or
  // somebody who is not known to have done so before `now`.
  template <class IsMeant>
  bool is_unread(u64 first, u64 bytes, const Footprint& now, const Clock* known, IsMeant is_meant) {
    for (u64 g = first / granule_; g <= (first + bytes - 1) / granule_; ++g) {
      const Cell& cell = cell_at(g);
      if (cell.write.lanes == 0 || !is_meant(cell.write.step)) return false;
      bool is_read = false, is_over = true;
      for (const Footprint& later : cell.others) {
        if (later.writes()) return false;
        is_read = true;
        is_over &= unordered_lanes(later, now, known) == 0;
      }
      if (is_read && is_over) return false;
    }
    return true;
  }

 private:
  struct Cell {
    Footprint write;
    std::vector<Footprint> same;  // the weak writes of the value that is there, up to that one, if there are several
    std::vector<Footprint> others;
    // Whether the others are all strong ones of the same bytes that reach all blocks that have them, none of which
    // conflicts with another. Who then reads them has seen all of those before a number: that stands here until
    // somebody asks.
    bool is_uniform = true;
    u32 noted = 0, seen_before = 0;
    Observer seen;

    bool agrees_with(const Footprint& now, bool of_one_block) const {
      return is_uniform && now.is_strong() && !now.updates && (of_one_block || leaves_block(now.scope)) &&
             (others.empty() || others.front().bytes == now.bytes);
    }
    bool is_seen(const Footprint& other) const {
      return other.seen.time || (other.touch == Touch::StrongWrite && other.number < seen_before);
    }
    // The last weak write as a read sees it: it changes nothing for who knows of another one of the same value.
    Footprint write_before(const Footprint& now, const Clock* known) const;
    // Whether somebody has read what an earlier access wrote, by a strong read that `now` comes after.
    bool is_read_since(const Footprint& earlier, const Footprint& now, const Clock* known) const;
    // Puts who has seen them down at each.
    void settle();
  };
  static constexpr u64 page_cells = 64;

  Cell& cell_at(u64 granule) {
    const u64 page = granule / page_cells;
    if (!last_ || page != last_page_) {
      auto& cells = pages_[page];
      if (cells.empty()) cells.resize(page_cells);
      last_ = cells.data();
      last_page_ = page;
    }
    return last_[granule % page_cells];
  }
  static void note(Cell& cell, const Footprint& now, bool agrees);
  static void see(Cell& cell, const Footprint& now, bool agrees);

  u32 granule_;
  bool of_one_block_;
  std::unordered_map<u64, std::vector<Cell>> pages_;  // those that were touched: tensors may be far larger
  Cell* last_ = nullptr;                              // the page of the last access
  u64 last_page_ = 0;
};

}  // namespace ropewalk::machine::order
