// Where a barrier would end races between threads of a block: the launch runs again with one put there, and what no
// longer happens lacked it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "lib/machine/collector.h"
#include "lib/ptx/loops.h"

namespace ropewalk::machine {

// A code with barriers of the whole block at some points more; nullptr: it cannot be decoded again, as where calls of
// addresses became jumps. `fp_contract` and `is_cooperative`: as for make_code.
std::shared_ptr<const Code> with_barriers(const Code& code, const std::vector<BarrierPoint>& points, bool fp_contract,
                                          bool is_cooperative);

// A step of a code with barriers at these points, as the code without them numbers it; of a barrier that was put there,
// the one behind it.
u32 step_without(const std::vector<BarrierPoint>& points, u32 step, const Code& with, const Code& without);

class BarrierSearch {
 public:
  // What the launch finds with barriers at these points; nullopt: it did not run to its end.
  using FoundWith = std::function<std::optional<std::vector<Occurrence>>(const std::vector<BarrierPoint>& points)>;

  BarrierSearch(const Code& code, FoundWith found_with);

  // Gives the races of the launch, and the reads of shared memory that nobody had written, the barriers that end them.
  void find(std::vector<Collected*> races, const std::vector<Collected*>& reads);

 private:
  // What is one race or read, whichever of its accesses is the example: the rule, the memory, and statements.
  using Kind = std::tuple<Rule, u32, u32, std::set<u32>>;
  using Kinds = std::set<Kind>;
  struct Trial {
    std::vector<BarrierPoint> points;
    Kinds left;  // that happen all the same
  };

  Kind kind_of(const Occurrence& found) const;
  std::vector<u32> beginnings_of(u32 access) const;
  void add_points(std::vector<BarrierPoint>& points, u32 access, u32 other) const;
  std::vector<BarrierPoint> points_for(const std::vector<Collected*>& races) const;
  std::optional<Kinds> left_with(const std::vector<BarrierPoint>& points);
  std::vector<Trial> trials_of(const std::vector<std::vector<BarrierPoint>>& choices);
  void settle(const std::vector<Trial>& trials, std::vector<Collected*>& races,
              const std::vector<Collected*>& reads) const;

  const Code& code_;
  FoundWith found_with_;
  std::vector<u32> statement_of_;  // by instruction: the first one of its statement
  std::vector<ptx::Loop> loops_;
  Kinds before_;  // what the launch finds as it is
  std::set<Rule> rules_before_;
};

}  // namespace ropewalk::machine
