// Collects what the checks find: equal findings are one, with counts, and the example kept is that of the lowest block
// and thread, so that it does not depend on which worker came first.
#pragma once
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

// One occurrence, as a check reports it.
struct Occurrence {
  Rule rule = Rule::OutOfBoundsRead;
  Severity severity = Severity::Error;
  u32 step = 0;
  u32 window = 0;            // index into Memory::windows(); 0: none
  MemorySpace space = MemorySpace::Global;
  u64 block = 0;             // linear number
  u32 thread = 0;            // linear within the block
  bool has_access = false;
  i64 offset = 0;            // of the access: bytes from the start of the window, of shared or of local memory
  u32 bytes = 0;
  u32 variable = no_value;   // in shared memory that the access was meant for, where that is known
  std::string detail;        // for the message: what is special about this one
  std::string name;          // of a field, an index statement
  u32 other_step = no_value; // the other side of a race
  u64 other_block = 0;
  u32 other_thread = 0;
  u64 count = 1;             // accesses that this stands for
};

struct Collected {
  Occurrence example;
  u64 accesses = 0;
  std::unordered_set<u64> threads;  // block * 2048 + thread
  std::unordered_set<u64> blocks;
  std::set<i64> offsets;            // byte offsets of accesses, bounded
  bool all_offsets = true;
};

class Collector {
 public:
  void report(const Occurrence& occurrence);
  void print(u64 block, std::string line);
  void merge(Collector&& other);
  bool empty() const { return found_.empty(); }
  bool has(Rule rule) const;  // whether a finding of this rule was reported
  // In the order of (rule, step, window).
  const auto& found() const { return found_; }
  // In block order.
  std::vector<std::string> printed() const;

 private:
  using Key = std::tuple<Rule, u32, u32, std::string>;
  std::map<Key, Collected> found_;
  std::multimap<u64, std::string> printed_;
};

}  // namespace ropewalk::machine
