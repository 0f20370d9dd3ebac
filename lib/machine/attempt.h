// One run of a launch's blocks, with as much evidence as is asked for.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/launch/outcome.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/checks/recorder.h"
#include "lib/machine/decoded.h"
#include "lib/machine/schedule.h"

namespace ropewalk::machine {

class RaceJudge;

// What an attempt must do besides running the blocks.
struct Wants {
  u32 threads = 1;             // worker threads, where blocks do not run in turns
  bool origins = false;        // of NaN and infinity
  bool trails = false;         // what threads did last, for barriers that one can go round
  bool ordered = false;        // blocks run in turns, and the order of events is followed,
  bool orders_shared = false;  // for shared memory too, where barriers of the whole block do not prove it innocent
  Schedule schedule;
  std::vector<u8> assumed;  // by step, what it is taken for that it is not (Assumed); empty: nothing
  RaceJudge* judge = nullptr;
  std::function<std::unique_ptr<Checker>()> first_check;  // besides those that are asked for, and before them
  bool settles =
      false;  // findings are reported from the first blocks alone (settled.h), where blocks do not run in turns
  bool passes_known = false;  // the fast tier lets pass what is known and was reported (known_findings.h)
  std::set<i32> logged;       // tensors of which every access is logged
  double seconds = std::numeric_limits<double>::infinity();  // as RunOptions::seconds, where that is longer,
  u64 budget = 0;                                            // and RunOptions::budget, the same; 0: that one
};

struct Attempt {
  Worker::End end = Worker::End::None;
  u64 end_block = ~u64(0);
  std::string refusal;
  u32 refusal_step = 0;
  u64 thread_instructions = 0;
  u64 synchronised = 0;             // instructions that did, where blocks ran in turns
  std::vector<u8> branches;         // by step, as in Block
  std::set<i32> stored_twice;       // or stored and loaded: tensors whose accesses must be logged
  std::set<i32> needs_rerun;        // the same, by their chunks' owners
  std::set<u32> missed_at;          // steps at which somebody was missing, which only trails can judge
  bool needs_shared_order = false;  // more than barriers may order what happened in shared memory
  bool lost_stores = false;         // of addresses that came from a finding: which outputs were written is not known
  bool is_settled = false;          // some counts are lower bounds, and what was written says nothing
  bool races_are_settled = false;   // all of them, of global memory that nobody reads
  u8 grid_controls = 0;             // LaunchState
  double seconds = 0;
  std::set<std::string> met;  // findings that it let pass, by id
  Collector collector;
  UndefinedStores undefined_stores;
  AccessRecords recorded;
  std::unique_ptr<Memory> memory;

  bool has_race() const { return collector.has(Rule::GlobalRace) || collector.has(Rule::SharedRace); }
  // Among lanes of one warp.
  bool has_race_in_a_warp() const {
    return std::ranges::any_of(collector.found(), [](const auto& entry) {
      const Occurrence& it = entry.second.example;
      const bool has_both = it.block == it.other_block && it.other_thread != no_value;
      return is_race(it) && (it.severity == Severity::Warning ||  // which no other races are
                             (has_both && it.thread / lanes_per_warp == it.other_thread / lanes_per_warp));
    });
  }
};

// Throws InputError where the launch does not fit the entry.
Attempt attempt(const Launch& launch, const RunOptions& options, Decoded& decoded, const BlockList& blocks,
                const Wants& wants, Residents& residents);

}  // namespace ropewalk::machine
