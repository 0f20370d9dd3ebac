// Collects what the checks find: equal findings are one, with counts, and the example kept is the first of the lowest
// block and thread, so that it does not depend on which worker came first.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/machine/code.h"
#include "lib/machine/polled.h"

namespace ropewalk::machine {

// One occurrence, as a check reports it.
struct Occurrence {
  Rule rule = Rule::OutOfBoundsRead;
  Severity severity = Severity::Error;
  u32 step = 0;
  u32 window = 0;  // index into Memory::windows(); 0: none
  MemorySpace space = MemorySpace::Global;
  u64 block = 0;   // linear number
  u32 thread = 0;  // linear within the block
  bool has_access = false;
  std::optional<u64> address;  // of an access without a window
  i64 offset = 0;              // of the access: bytes from the start of the window, of shared or of local memory
  u32 bytes = 0;
  u32 variable = no_value;    // in shared memory that the access was meant for, where that is known
  std::string detail;         // for the message: what is special about this one
  std::string name;           // of a region, an index statement
  u32 other_step = no_value;  // the other side of a race
  u64 other_block = 0;
  u32 other_thread = 0;  // no_value: several, of which nobody took note
  bool of_read = false;  // of a race: one side only reads
  u64 count = 1;         // accesses that this stands for
};

// The threads of a launch that something happened in.
class ThreadSet {
 public:
  void add(u64 block, u32 thread);
  // Threads of one warp, a bit a lane; `first` is that of lane 0.
  void add_lanes(u64 block, u32 first, u32 lanes);
  void merge(const ThreadSet& other);
  bool has(u64 block, u32 thread) const;
  u64 threads() const { return threads_; }
  u64 blocks() const { return bits_.size(); }

 private:
  using Bits = std::array<u64, 16>;  // a bit a thread
  std::unordered_map<u64, Bits> bits_;
  u64 last_block_ = ~u64(0);
  Bits* last_ = nullptr;
  u64 threads_ = 0;
};

// Two threads that touch the same bytes, wherever these are.
inline bool is_race(const Occurrence& it) { return it.rule == Rule::SharedRace || it.rule == Rule::GlobalRace; }
inline bool is_across_blocks(const Occurrence& it) {
  return it.rule == Rule::GlobalRace && it.other_step != no_value && it.other_block != it.block;
}

// A number in memory that an address was computed from.
struct LoadedIndex {
  u32 step = 0;    // that loaded it
  u32 window = 0;  // where it lies
  i64 offset = 0;
  u32 bytes = 0;
  u64 bits = 0;
  bool has_sign = false;  // it was loaded as a number with a sign
};

// A step, and what it would have to be for a race to end (missing_order.h).
struct MissingStep {
  u32 step = 0;
  Assumed is_not = assumed_release;
};

// Where a barrier of the block can be put.
struct BarrierPoint {
  TriedBarrier::Where where = TriedBarrier::Where::Before;
  std::vector<u32> before;  // instructions, ascending: each copy of the statement, as unrolled loops have them
  bool is_jumped = false;   // who jumps to that instruction does not come to it
  u32 access = 0;           // instruction that it is there for
  u32 branch_back = 0;      // instruction; of the loop, where it is for one
};

struct Collected {
  void add_offset(i64 offset);

  Occurrence example;
  u64 accesses = 0;
  bool at_least = false;       // there were more
  bool across_blocks = false;  // of a race: two blocks were seen to
  ThreadSet threads;
  std::set<i64> offsets;  // byte offsets of accesses, bounded
  bool all_offsets = true;
  std::array<i64, 64> known{};                // offsets that are in, plus one, by their low bits: most come again
  std::vector<LoadedIndex> computed_from;     // the address of the example, where that is known
  std::vector<MissingStep> missing_orders;    // of a race: together they would end it
  Stuck stuck;                                // of a hang
  std::vector<BarrierPoint> barriers;         // together they end it, and what else they end,
  std::optional<BarrierPoint> other_barrier;  // as this one does in place of the last of them
};

class Collector {
 public:
  static constexpr std::size_t most_offsets = 4096;  // that are kept of a finding, for a picture

  void report(const Occurrence& occurrence) {
    report(occurrence, [](Occurrence&) {});
  }
  // The same, with words that are only asked for where the occurrence is the example: describe(occurrence) fills what
  // the count does not need (the detail, the other side).
  template <class Describe>
  void report(const Occurrence& occurrence, Describe describe) {
    if (Collected* const example_of = count(occurrence)) {
      describe(example_of->example);
      example_of->example.severity = std::min(example_of->example.severity, occurrence.severity);
    }
  }
  // The same access of several lanes of a warp (a bit a lane); `first` is that of the lowest one, `offsets` are by
  // lane.
  template <class Describe>
  void report_lanes(const Occurrence& first, u32 lanes, const i64* offsets, Describe describe) {
    report(first, describe);
    count_lanes(first, lanes & (lanes - 1), offsets);
  }
  void print(u64 block, std::string line);
  // What a device says of an assertion that failed.
  void complain(u64 block, std::string line);
  void merge(Collector&& other);
  // The same without what was printed.
  void merge_findings(Collector&& other);
  // The same of findings of which none is here.
  void merge_new(Collector&& other);
  bool empty() const { return found_.empty(); }
  bool has(Rule rule) const;  // whether a finding of this rule was reported
  // In the order of (rule, step, window).
  const auto& found() const { return found_; }
  // Drops the findings for which that holds.
  template <class Holds>
  void drop(Holds holds) {
    std::erase_if(found_, [&](const auto& entry) { return holds(entry.second.example); });
  }
  // body(collected) for each finding.
  template <class Body>
  void for_each(Body body) {
    for (auto& [key, it] : found_) body(it);
  }
  // Makes warnings with these words of the findings for which that holds.
  template <class Holds>
  void soften(Holds holds, const std::string& detail) {
    for (auto& [key, it] : found_) {
      if (!holds(it.example)) continue;
      it.example.severity = Severity::Warning;
      it.example.detail = detail;
    }
  }
  // Says of the findings for which that holds that there were more.
  template <class Holds>
  void mark_bounds(Holds holds) {
    for (auto& [key, it] : found_) it.at_least |= holds(it.example);
  }
  // In block order.
  std::vector<std::string> printed() const;
  std::vector<std::string> complaints() const;

 private:
  using Key = std::tuple<Rule, u32, u32, std::string>;
  // Counts an occurrence. Where it has become the example, what it is the example of; else nullptr.
  Collected* count(const Occurrence& occurrence);
  void count_lanes(const Occurrence& first, u32 others, const i64* offsets);
  Collected& collected_for(const Occurrence& occurrence, bool* is_new);

  std::map<Key, Collected> found_;
  std::map<Key, Collected>::value_type* last_ = nullptr;  // what was reported last
  std::multimap<u64, std::string> printed_, complaints_;
};

}  // namespace ropewalk::machine
