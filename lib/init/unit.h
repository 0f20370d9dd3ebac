// Ranks that are explored together: their events as steps, with the constraints between them, and the states that the
// steps lead to, each made once.
#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/init/simulator.h"

namespace ropewalk::init {

struct Step {
  static constexpr i32 all_ranks = -1;  // of a broadcast
  static constexpr i32 elsewhere = -2;  // an event of a rank that is not in the unit, which some of the unit wait for

  u32 event = 0;
  i32 rank = all_ranks;  // within the unit
  u32 other = 0;         // of one elsewhere: the rank
};

struct Unit {
  std::vector<u32> ranks;   // as the plan numbers them
  std::vector<Step> steps;  // at most 64
  std::vector<u64> before;  // by step: the steps that must have been done, a bit a step

  u64 all() const { return steps.size() == 64 ? ~u64(0) : (u64(1) << steps.size()) - 1; }
  bool may_follow(u64 done, u32 step) const { return !(done >> step & 1) && (before[step] & ~done) == 0; }
  // "to_empty"; of several ranks "to_empty on rank 1".
  std::string name_of(const Plan& plan, u32 step) const;
};

// What ranks outside of the unit do is in it where the plan names it ("b@0"): it changes nothing here, and is waited
// for. Throws InputError where there are more than 64 steps, or where the constraints between ranks go in a circle.
Unit unit_of(const Plan& plan, const std::vector<u32>& ranks);

// The states of a unit by number. Each step out of each state is run once.
class States {
 public:
  States(Simulator& simulator, const Unit& unit);

  u32 initial() const { return 0; }
  const UnitState& state(u32 number) const { return states_[number]; }
  // The first thing that went wrong on a rank; -1: nothing.
  i32 failure(u32 number, u32 rank) const { return states_[number].ranks[rank].failure; }
  bool good(u32 number) const;
  // After a step that is no broadcast, or one whose origins are in the unit.
  u32 after(u32 number, u32 step);
  // After a broadcast that brings this to the one rank of the unit.
  u32 after_receiving(u32 number, u32 step, const std::vector<BufferState>& given, u32 given_number);
  u64 transitions() const { return transitions_; }

 private:
  u32 number_of(UnitState state);

  Simulator& simulator_;
  const Unit& unit_;
  std::vector<UnitState> states_;
  std::unordered_map<std::string, u32> numbers_;
  std::unordered_map<u64, u32> steps_;
  std::map<std::tuple<u32, u32, u32>, u32> receipts_;
  u64 transitions_ = 0;
};

}  // namespace ropewalk::init
