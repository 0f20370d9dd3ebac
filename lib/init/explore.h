// All orders of a plan's events, without running those that come to the same.
//
// Events of different ranks commute, so each rank is explored alone and ranks that are alike are explored once; orders
// that lead to the same state are followed once from there. Ranks meet at broadcasts: what a broadcast's origins may
// give is enumerated, and for each choice the ranks are independent again. The interleavings of the ranks are counted,
// not run. An event that other ranks wait for ("b@0") is a point in time on all of them, as a broadcast that brings
// nothing. Ranks that share memory (a registry) are explored together.
#pragma once
#include <optional>
#include <vector>

#include "lib/init/natural.h"
#include "lib/init/simulator.h"

namespace ropewalk::init {

struct ExploreLimits {
  u64 states = 300000;  // of one unit; where there are more, a sample of the orders is followed to the end
  u64 choices = 20000;  // of what broadcasts bring
  u64 moves = 1000000;  // from a state by a step, in all units together; each takes some microseconds
};

// A failure that some order shows.
struct FailureSeen {
  i32 failure = -1;        // number in Simulator::failures()
  u32 rank = 0;            // the lowest that shows it
  std::vector<u32> order;  // events of that rank, an order that shows it
};

struct Exploration {
  Natural orders, good;               // exact, unless cut
  bool cut = false;                   // a limit was reached; the counts are of what was explored
  u64 states = 0;                     // distinct ones that were reached
  u64 runs = 0;                       // steps that were executed
  u64 moves = 0;                      // that were looked at
  std::vector<std::string> left_out;  // where it was cut: what was not explored, in words
  std::vector<FailureSeen> failures;  // by number
};

Exploration explore(Simulator& simulator, const ExploreLimits& limits = {});

}  // namespace ropewalk::init
