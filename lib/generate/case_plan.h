// The cases of a campaign on one kernel, in their order: boundary values, then every pair and every triple of parameter
// values, then random draws. Case n depends on the seed, the kernel and n alone.
#pragma once
#include <mutex>
#include <optional>

#include "lib/family/kernel.h"
#include "lib/generate/covering.h"
#include "lib/generate/space.h"

namespace ropewalk::generate {

struct PlannedCase {
  Problem problem;
  u64 blocks = 0;              // as in Extreme
  Choice choice;               // empty: of no combination of listed values
  const Flaw* flaw = nullptr;  // what was broken; null: the problem is good
};

// What the first cases have shown: by side of a branch those of the guiding cases that took it.
struct Guidance {
  struct Side {
    std::vector<u64> cases;  // numbers below guiding_cases()
  };
  std::vector<Side> sides;
};

class CasePlan {
 public:
  CasePlan(const Kernel& kernel, u64 seed);

  const ProblemSpace& space() const { return space_; }
  // The cases at the beginning, whose branches guide the random draws: boundary values and pairs.
  u64 guiding_cases() const { return boundary_.size() + pairs_.size(); }
  // The first case that is drawn at random.
  u64 first_random() const { return guiding_cases() + triples().size(); }
  // `guidance` is asked for from first_random() on; without it draws are from the whole space.
  PlannedCase at(u64 n, const Guidance* guidance = nullptr) const;
  // The tuples of parameter values that coverage counts: pairs and triples.
  const std::vector<Tuples>& tuples() const { return tuples_; }

 private:
  // One value away from the plainest, a flaw, or an extreme.
  struct Boundary {
    Choice choice;
    i64 flaw = -1, extreme = -1;
  };
  const std::vector<Choice>& triples() const;
  PlannedCase of_boundary(const Boundary& boundary, const Random& random) const;
  PlannedCase drawn_case(const Random& random, const Guidance* guidance) const;
  Choice drawn_choice(Random& random) const;
  Choice guided_choice(Random& random, const Guidance& guidance) const;
  // Breaks the case's problem in one way that it can be broken in.
  void break_one(PlannedCase& one, Random& random) const;

  ProblemSpace space_;
  Random random_;
  std::vector<u32> sizes_;  // by parameter: how many values it has
  std::vector<Boundary> boundary_;
  std::vector<Choice> pairs_;
  std::vector<Tuples> tuples_;
  mutable std::once_flag triples_made_;  // hundreds of rows, which a short campaign does not reach
  mutable std::vector<Choice> triples_;
};

}  // namespace ropewalk::generate
