#include "lib/generate/case_plan.h"

#include "lib/base/hash.h"
#include "lib/generate/space.h"

namespace ropewalk::generate {
namespace {

// Labels of the random streams.
constexpr u64 pair_stream = ~u64(0), triple_stream = pair_stream - 1;
constexpr u64 flaw_repeats = 3;  // a flaw draws what it breaks; so often it is tried among the boundary values

}  // namespace

CasePlan::CasePlan(const Kernel& kernel, u64 seed)
    : space_(kernel.family->space(kernel)), random_(Random(seed).split(hash_of(kernel.name))) {
  for (const Parameter& parameter : space_.parameters) sizes_.push_back(u32(parameter.values.size()));
  boundary_.push_back({space_.plainest()});
  for (u32 parameter = 0; parameter < sizes_.size(); ++parameter) {
    for (u32 value = 1; value < sizes_[parameter]; ++value) {
      boundary_.push_back({space_.plainest()});
      boundary_.back().choice[parameter] = value;
    }
  }
  for (u64 flaw = 0; flaw < space_.flaws.size(); ++flaw) {
    for (u64 n = 0; n < flaw_repeats; ++n) boundary_.push_back({{}, i64(flaw)});
  }
  for (u64 extreme = 0; extreme < space_.extremes.size(); ++extreme) boundary_.push_back({{}, -1, i64(extreme)});
  pairs_ = covering_array(sizes_, 2, random_.split(pair_stream));
  tuples_ = {Tuples(sizes_, 2), Tuples(sizes_, 3)};
}

const std::vector<Choice>& CasePlan::triples() const {
  std::call_once(triples_made_, [&] { triples_ = covering_array(sizes_, 3, random_.split(triple_stream), pairs_); });
  return triples_;
}

PlannedCase CasePlan::at(u64 n, const Guidance* guidance) const {
  const Random random = random_.split(n);
  if (n < boundary_.size()) return of_boundary(boundary_[n], random);
  n -= boundary_.size();
  const auto of_choice = [&](const Choice& choice) {
    return PlannedCase{space_.problem(choice, random), 0, choice, nullptr};
  };
  if (n < pairs_.size()) return of_choice(pairs_[n]);
  n -= pairs_.size();
  if (n < triples().size()) return of_choice(triples()[n]);
  return drawn_case(random, guidance);
}

PlannedCase CasePlan::of_boundary(const Boundary& boundary, const Random& random) const {
  if (boundary.extreme >= 0) {
    const Extreme& extreme = space_.extremes[u64(boundary.extreme)];
    return {extreme.problem, extreme.blocks, {}, nullptr};
  }
  Random own = random.split(1);
  if (boundary.flaw < 0) return {space_.problem(boundary.choice, random), 0, boundary.choice, nullptr};
  const Flaw& flaw = space_.flaws[u64(boundary.flaw)];
  // Not every good problem can be broken in this way.
  constexpr int attempts = 64;
  for (int n = 0; n < attempts; ++n) {
    PlannedCase one{space_.problem(drawn_choice(own), own.split(u64(n))), 0, {}, &flaw};
    if (flaw.breaks(one.problem, own)) return one;
  }
  return {space_.problem(space_.plainest(), random), 0, space_.plainest(), nullptr};
}

Choice CasePlan::drawn_choice(Random& random) const {
  Choice choice;
  for (const u32 size : sizes_) choice.push_back(random.below(3) == 0 ? drawn : u32(random.below(size)));
  return choice;
}

Choice CasePlan::guided_choice(Random& random, const Guidance& guidance) const {
  // The fewer cases took a side, the more often it is chosen.
  double total = 0;
  for (const Guidance::Side& side : guidance.sides) total += 1.0 / double(side.cases.size());
  double at = random.unit() * total;
  const Guidance::Side* chosen = &guidance.sides.back();
  for (const Guidance::Side& side : guidance.sides) {
    at -= 1.0 / double(side.cases.size());
    if (at >= 0) continue;
    chosen = &side;
    break;
  }
  const u64 example = chosen->cases[random.below(chosen->cases.size())];
  Choice choice = example < boundary_.size() ? boundary_[example].choice : pairs_[example - boundary_.size()];
  const Choice others = drawn_choice(random);
  if (choice.empty()) return others;
  for (u64 n = 0; n < choice.size(); ++n) {
    if (random.below(4) == 0) choice[n] = others[n];
  }
  return choice;
}

PlannedCase CasePlan::drawn_case(const Random& random, const Guidance* guidance) const {
  Random own = random.split(1);
  const bool guided = guidance && !guidance->sides.empty() && own.below(2) == 0;
  PlannedCase one;
  one.choice = guided ? guided_choice(own, *guidance) : drawn_choice(own);
  one.problem = space_.problem(one.choice, random);
  if (!space_.flaws.empty() && own.below(8) == 0) break_one(one, own);
  return one;
}

void CasePlan::break_one(PlannedCase& one, Random& random) const {
  const u64 count = space_.flaws.size(), first = random.below(count);
  for (u64 n = 0; n < count; ++n) {
    const Flaw& flaw = space_.flaws[(first + n) % count];
    Problem broken = one.problem;
    if (!flaw.breaks(broken, random)) continue;
    one = {std::move(broken), 0, {}, &flaw};
    return;
  }
}

}  // namespace ropewalk::generate
