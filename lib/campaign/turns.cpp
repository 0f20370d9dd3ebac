#include "lib/campaign/turns.h"

#include <algorithm>
#include <numeric>

namespace ropewalk::campaign {
namespace {

constexpr u64 third = 3;

}  // namespace

Turns::Turns(const std::vector<const Kernel*>& kernels) : of_kernel_(kernels.size()) {
  std::vector<u64> forward, backward;
  for (u64 n = 0; n < kernels.size(); ++n) (kernels[n]->backward ? backward : forward).push_back(n);
  const auto add = [&](u64 kernel) { round_.push_back({kernel, of_kernel_[kernel]++}); };
  if (forward.empty() || backward.empty()) {
    for (u64 n = 0; n < kernels.size(); ++n) add(n);
    return;
  }
  // Thirds until both kinds are at their ends at once.
  const u64 forward_thirds = forward.size() / std::gcd(forward.size(), third - 1);
  for (u64 n = 0; n < std::lcm(forward_thirds, backward.size()); ++n) {
    for (u64 turn = 0; turn < third - 1; ++turn) add(forward[(n * (third - 1) + turn) % forward.size()]);
    add(backward[n % backward.size()]);
  }
}

Turns::Turn Turns::at(u64 index) const {
  const Turn& turn = round_[index % round_.size()];
  return {turn.kernel, index / round_.size() * of_kernel_[turn.kernel] + turn.number};
}

}  // namespace ropewalk::campaign
