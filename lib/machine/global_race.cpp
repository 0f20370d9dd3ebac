#include "lib/machine/global_race.h"

#include <algorithm>

#include "lib/base/bits.h"
#include "lib/finding/phrases.h"
#include "lib/machine/checks/races.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

constexpr std::size_t most_active = 64;  // ranges that overlap here are compared with at most so many others

u64 end_of(const AccessRecord& record) { return record.first + record.bytes; }

// The lane of a record that touches a byte.
u32 thread_at(const AccessRecord& record, u64 byte) {
  return record.repeated ? record.thread : record.thread + u32((byte - record.first) / record.width);
}

// Where the access of the thread behind the one that touches the byte begins.
template <class Accesses>
u64 next_access(const Accesses& of, u64 byte) {
  return byte + of.width - (byte - of.first) % of.width;
}

struct Conflict {
  u32 a_thread = 0, b_thread = 0;
  u64 byte = 0;
};

// Two different threads that touch a byte from `from` on which `counts` accepts.
template <class Counts>
bool find_conflict(const AccessRecord& a, const AccessRecord& b, u64 from, Counts counts, Conflict& conflict) {
  // Each thread at its own bytes, in both: the usual case of work in place.
  if (a.width == b.width && !a.repeated && !b.repeated &&
      i64(a.first) - i64(b.first) == (i64(a.thread) - i64(b.thread)) * a.width) {
    return false;
  }
  const u64 low = std::max({a.first, b.first, from}), high = std::min(end_of(a), end_of(b));
  const u64 step = std::min(a.width, b.width);
  for (u64 byte = low; byte < high; byte = (byte / step + 1) * step) {
    if (!counts(byte, std::min(high, byte + step))) continue;
    conflict = {thread_at(a, byte), thread_at(b, byte), byte};
    if (a.repeated && a.lanes > 1) conflict.a_thread = a.thread + (conflict.b_thread == a.thread);
    if (b.repeated && b.lanes > 1) conflict.b_thread = b.thread + (conflict.a_thread == b.thread);
    if (conflict.a_thread != conflict.b_thread) return true;
  }
  return false;
}

// Whether one record is a load that is not coherent, of what the other stored before it.
bool is_stale(const AccessRecord& a, const AccessRecord& b) {
  const auto reads_late = [](const AccessRecord& load, const AccessRecord& store) {
    return load.noncoherent && store.write && store.order < load.order;
  };
  return reads_late(a, b) || reads_late(b, a);
}

// Whether one record is the read of a cp.async, and the other a write that comes before it has been waited for, by any
// thread of the block; or, by another thread, with no barrier behind the wait.
bool is_written_early(const AccessRecord& a, const AccessRecord& b) {
  const auto is_early = [](const AccessRecord& read, const AccessRecord& write) {
    if (read.until == 0 || !write.write || write.order < read.order) return false;
    const u64 byte = std::max(read.first, write.first);
    return write.order < read.until || (write.time == read.until_time && thread_at(write, byte) != read.thread);
  };
  return is_early(a, b) || is_early(b, a);
}

// Two writes race only where the values differ; what an atomic operation leaves depends on the position of the other
// write among them, whatever the value.
template <class Access>
bool may_write_the_same(const Access& a, const Access& b) {
  return a.write && b.write && !a.atomic && !b.atomic;
}

// differ: of the bytes that both write some were overwritten with another value.
template <class Access>
const char* what_happens(const Access& earlier, const Access& later, bool differ) {
  if (earlier.atomic || later.atomic) return "one is atomic, the other is not";
  if (earlier.write && later.write) return differ ? "both write, different values" : "both write, the same value";
  return later.write ? "one reads, one writes" : "one writes, one reads";
}

// Where nobody took note of values they may differ.
bool may_differ(const Window& window, u64 first, u64 last) {
  return !window.differing || any_bit(window.differing, first, last);
}

// Lets a range stand for a record too, where it names the thread of each byte of that as well.
bool add_to(TouchedRange& range, u64 block, const AccessRecord& record) {
  if (range.block != block || range.write != record.write || range.atomic != record.atomic) return false;
  if (record.first < range.first || record.first > range.last) return false;
  if (end_of(record) <= range.last) return true;
  if (range.step != record.step || range.width != record.width || record.repeated) return false;
  if ((record.first - range.first) % range.width != 0 || range.thread_at(record.first) != record.thread) return false;
  range.last = end_of(record);
  return true;
}

// Reports the accesses of the threads of a block one after the other, those of a warp at once.
template <class Describe>
class RacedLanes {
 public:
  RacedLanes(Collector& collector, const Occurrence& occurrence, Describe describe)
      : collector_(collector), occurrence_(occurrence), describe_(describe) {}
  void add(u32 thread, u32 other_thread, u64 byte) {
    if (thread / lanes_per_warp != occurrence_.thread / lanes_per_warp) flush();
    if (!lanes_) {
      occurrence_.thread = thread;
      occurrence_.other_thread = other_thread;
      occurrence_.offset = i64(byte);
    }
    lanes_ |= 1u << thread % lanes_per_warp;
    offsets_[thread % lanes_per_warp] = i64(byte);
  }
  void flush() {
    if (lanes_) collector_.report_lanes(occurrence_, lanes_, offsets_, describe_);
    lanes_ = 0;
  }

 private:
  Collector& collector_;
  Occurrence occurrence_;  // of the lowest lane
  Describe describe_;
  u32 lanes_ = 0;
  i64 offsets_[lanes_per_warp];
};

// The first byte of [low, high) that two ranges race for, or the first of its access; high: none.
u64 raced_byte(const TouchedRange& a, const TouchedRange& b, const Window& window, bool strict, u64 low, u64 high) {
  if (!may_write_the_same(a, b) || strict || !window.differing) return low;
  u64 byte = low;
  while (byte < high && !any_bit(window.differing, byte, byte + 1)) ++byte;
  if (byte == high || a.width == 0) return byte;
  return std::max(low, byte - (byte - a.first) % a.width);
}

}  // namespace

void GlobalRaces::add_block(Block& block, Collector& collector, const LaunchState& launch) {
  AccessLog& log = block.log;
  if (log.empty()) return;
  u32 number = 0;
  bool reads_late = false;
  for (AccessRecord& record : log) {
    reads_late |= record.until != 0;
    record.window = launch.memory.whole(record.window);
    record.order = number++;
  }
  // Of records that say the same the first counts, and the last of loads that are not coherent.
  const auto before = [](const AccessRecord& a, const AccessRecord& b) {
    const u32 a_order = a.noncoherent ? ~a.order : a.order, b_order = b.noncoherent ? ~b.order : b.order;
    return std::tie(a.window, a.first, a.bytes, a.thread, a.step, a_order) <
           std::tie(b.window, b.first, b.bytes, b.thread, b.step, b_order);
  };
  if (!std::is_sorted(log.begin(), log.end(), before)) std::sort(log.begin(), log.end(), before);
  // Records of loops that touch the same bytes again say nothing new, where it does not matter when they do.
  if (!reads_late)
    log.cut(std::unique(log.begin(), log.end(), [](const AccessRecord& a, const AccessRecord& b) {
      return std::tie(a.window, a.first, a.bytes, a.thread, a.lanes, a.write, a.atomic, a.noncoherent, a.time) ==
             std::tie(b.window, b.first, b.bytes, b.thread, b.lanes, b.write, b.atomic, b.noncoherent, b.time);
    }));

  std::vector<const AccessRecord*> active;
  for (const AccessRecord& record : log) {
    std::erase_if(active, [&](const AccessRecord* other) {
      return other->window != record.window || end_of(*other) <= record.first;
    });
    const Window& window = launch.memory.windows()[record.window];
    for (const AccessRecord* other : active) {
      if (!(record.write || other->write) || (record.atomic && other->atomic)) continue;
      const bool only_if_different = may_write_the_same(record, *other) && !launch.options.strict;
      const auto counts = [&](u64 first, u64 last) {
        return !only_if_different || !window.differing || any_bit(window.differing, first, last);
      };
      const AccessRecord *theirs = other, *mine = &record;
      Conflict conflict;
      const bool races = other->time == record.time && find_conflict(*theirs, *mine, 0, counts, conflict);
      const bool is_early = is_written_early(*other, record);
      if (is_early || !races) {
        if (!is_early && !is_stale(*other, record)) continue;
        if (is_early ? theirs->write : theirs->noncoherent) std::swap(theirs, mine);
        const u64 byte = std::max(other->first, record.first);
        conflict = {thread_at(*theirs, byte), thread_at(*mine, byte), byte};
      }
      const bool same_warp = conflict.a_thread / lanes_per_warp == conflict.b_thread / lanes_per_warp;
      const auto has = [](const AccessRecord& it, u32 thread) {
        return bool(it.together >> thread % lanes_per_warp & 1);
      };
      const bool converged = has(*theirs, conflict.b_thread) && has(*mine, conflict.a_thread);
      Occurrence out;
      out.rule = Rule::GlobalRace;
      const RacingAccesses pair{.step = mine->step,
                                .other_step = theirs->step,
                                .both_write = mine->write && theirs->write,
                                .are_in_one_warp = same_warp,
                                .are_converged = converged};
      if (races && !is_early) out.severity = severity_of_race(pair, *block.launch->code);
      out.step = mine->step;
      out.window = record.window;
      out.block = out.other_block = block.number;
      out.thread = conflict.b_thread;
      out.other_step = theirs->step;
      out.other_thread = conflict.a_thread;
      out.of_read = !is_early && (!mine->write || !theirs->write);
      out.has_access = true;
      out.offset = i64(conflict.byte);
      out.bytes = mine->width;
      RacedLanes raced(collector, out, [&](Occurrence& example) {
        const u64 first = std::max(other->first, record.first), end = std::min(end_of(*other), end_of(record));
        example.detail = is_early ? std::string(read_under_way)
                         : races  ? what_happens(*theirs, *mine, may_differ(window, first, end))
                                  : std::string(stale_load);
      });
      do {
        raced.add(conflict.b_thread, conflict.a_thread, conflict.byte);
      } while (races && !is_early && !mine->repeated &&
               find_conflict(*theirs, *mine, next_access(*mine, conflict.byte), counts, conflict));
      raced.flush();
    }
    // Lanes of one store that write the same bytes.
    if (record.write && record.repeated && !record.atomic && record.lanes > 1 &&
        (launch.options.strict || (window.differing && any_bit(window.differing, record.first, end_of(record))))) {
      Occurrence out;
      out.rule = Rule::GlobalRace;
      out.step = out.other_step = record.step;
      out.window = record.window;
      out.block = out.other_block = block.number;
      out.thread = record.thread + 1u;
      out.other_thread = record.thread;
      out.has_access = true;
      out.offset = i64(record.first);
      out.bytes = record.width;
      collector.report(out, [&](Occurrence& example) {
        example.detail = what_happens(record, record, may_differ(window, record.first, end_of(record)));
      });
    }
    active.push_back(&record);
    if (active.size() > most_active) active.erase(active.begin());
  }

  for (const AccessRecord& record : log) {
    auto& ranges = ranges_[record.window];
    if (!ranges.empty() && add_to(ranges.back(), block.number, record)) continue;
    ranges.push_back({record.first, end_of(record), block.number, record.step, record.thread,
                      record.repeated ? 0u : record.width, record.write, record.atomic});
  }
}

void GlobalRaces::merge(GlobalRaces&& other) {
  for (auto& [window, ranges] : other.ranges_) {
    auto& ours = ranges_[window];
    ours.insert(ours.end(), ranges.begin(), ranges.end());
  }
  other.ranges_.clear();
}

void GlobalRaces::finish(u32 number, std::vector<TouchedRange>& ranges, Collector& collector,
                         const LaunchState& launch) {
  const auto before = [](const TouchedRange& a, const TouchedRange& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::tie(a.block, a.last, a.step) < std::tie(b.block, b.last, b.step);
  };
  // Blocks that go through a tensor from its start to its end leave their ranges in order.
  if (!std::is_sorted(ranges.begin(), ranges.end(), before)) std::sort(ranges.begin(), ranges.end(), before);
  const Window& window = launch.memory.windows()[number];
  std::vector<const TouchedRange*> active;
  for (const TouchedRange& range : ranges) {
    std::erase_if(active, [&](const TouchedRange* other) { return other->last <= range.first; });
    for (const TouchedRange* other : active) {
      if (other->block == range.block || !(range.write || other->write) || (range.atomic && other->atomic)) continue;
      const u64 low = std::max(range.first, other->first), high = std::min(range.last, other->last);
      const u64 byte = raced_byte(range, *other, window, launch.options.strict, low, high);
      if (byte == high) continue;
      const bool later = range.block > other->block;
      const TouchedRange &mine = later ? range : *other, &theirs = later ? *other : range;
      Occurrence out;
      out.rule = Rule::GlobalRace;
      out.step = mine.step;
      out.window = number;
      out.block = mine.block;
      out.thread = mine.thread_at(byte);
      out.other_block = theirs.block;
      out.other_step = theirs.step;
      out.other_thread = theirs.thread_at(byte);
      out.of_read = !mine.write || !theirs.write;
      out.has_access = true;
      out.offset = i64(byte);
      out.bytes = mine.width ? mine.width : u32(std::min<u64>(high - byte, 16));
      RacedLanes raced(collector, out, [&](Occurrence& example) {
        const u64 end = std::min(high, u64(example.offset) + std::max<u64>(mine.width, 1));
        example.detail = what_happens(theirs, mine, may_differ(window, u64(example.offset), end));
      });
      for (u64 at = byte; at < high; at = raced_byte(range, *other, window, launch.options.strict, at, high)) {
        raced.add(mine.thread_at(at), theirs.thread_at(at), at);
        at = mine.width ? std::min(high, next_access(mine, at)) : high;
      }
      raced.flush();
    }
    active.push_back(&range);
    if (active.size() > most_active) active.erase(active.begin());
  }
}

void GlobalRaces::finish(Collector& collector, const LaunchState& launch) {
  for (auto& [number, ranges] : ranges_) finish(number, ranges, collector, launch);
}

void GlobalRaces::settle(Collector& collector, const LaunchState& launch,
                         const std::function<bool(u32 window, const Collector& found)>& is_settled) {
  for (auto at = ranges_.begin(); at != ranges_.end();) {
    Collector found;
    finish(at->first, at->second, found, launch);
    if (!is_settled(at->first, found)) {
      ++at;
      continue;
    }
    collector.merge(std::move(found));
    at = ranges_.erase(at);
  }
}

}  // namespace ropewalk::machine
