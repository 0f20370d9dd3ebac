// What a thread's strong reads have seen, and what they make known later.
#pragma once
#include <algorithm>
#include <vector>

#include "lib/machine/order/clock.h"

namespace ropewalk::machine::order {

struct Published;

// The few things that came last, by key.
template <class Thing>
class LastUsed {
 public:
  Thing* find(u64 key) {
    const auto at = std::ranges::find(entries_, key, &Entry::key);
    return at == entries_.end() ? nullptr : &at->thing;
  }
  // The one of a key. Where it replaces another, leave(Thing&) is called for that.
  template <class Leave>
  Thing& at(u64 key, Leave leave) {
    if (Thing* const known = find(key)) return *known;
    if (entries_.size() == most) {
      leave(entries_.front().thing);
      entries_.erase(entries_.begin());
    }
    return entries_.emplace_back(Entry{key, Thing()}).thing;
  }
  template <class Body>
  void each(Body body) {
    for (Entry& entry : entries_) body(entry.thing);
  }

 private:
  static constexpr std::size_t most = 4;
  struct Entry {
    u64 key;
    Thing thing;
  };
  std::vector<Entry> entries_;  // by age
};

// What reads: a load, an atomic that leaves what it reads, or one that changes it and so takes a ticket.
enum class Reader : u8 { Load, Look, Ticket };

template <class OneClock>
struct Views {
  OneClock device{};    // what the next fence of device scope or wider makes known,
  OneClock block{};     // and one of block scope
  OneClock ticketed{};  // of `device`: what was read by atomics that took a ticket, or in shared memory
  // What others knew, by barriers of their blocks, when they made strong writes that this thread has read, released or
  // not. It orders no write that they made: nothing says that it can be seen. But loads before a barrier have their
  // values by then, and what is written later cannot change them (blocks of thrust::unique write in place where earlier
  // ones have read).
  OneClock passed{};
};

class Seen {
 public:
  // A read of a location, at which something is published, by a thread of a block. acquires: it makes known by itself
  // what it reads, but for what was passed.
  void read(u64 location, const Published& there, u64 block, bool leaves_block, bool acquires, Reader reader);
  // All that was seen.
  const Views<SharedClock>& all();
  // What an acquire of a location makes known, because of earlier reads of it; null: nothing.
  SharedClock at(u64 location, bool leaves_block);
  // What others have seen whom the thread has met; all of them, where it is among them.
  void join(const Views<Clock>& others);
  void become(const Views<SharedClock>& all) { all_ = all; }
  // Whether loads saw some of it since the last fence of device scope.
  bool has_peeked() const { return has_peeked_; }
  void set_peeked(bool has_peeked) { has_peeked_ = has_peeked; }

 private:
  // Of one location what is published there is kept as it is, and joined when somebody asks: who spins there reads it a
  // thousand times.
  struct Location {
    u64 chain = 0;
    SharedClock block, device, passed, ticket_of_block, ticket_of_device;
    SharedClock earlier_block, earlier_device;  // of earlier chains
    bool is_open = false;                       // not in all_ yet
  };
  void close(Location& here);

  LastUsed<Location> locations_;
  Views<SharedClock> all_;
  bool has_peeked_ = false;
};

}  // namespace ropewalk::machine::order
