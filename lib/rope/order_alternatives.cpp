#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/alternatives.h"

namespace ropewalk::rope {
namespace {

constexpr const char* order_advice = "let pair i have the frequency theta^(-2i/d): compare the order of the exponents";

Alternative in_order(const Suspect& suspect, const std::vector<size_t>& order, std::string text, int rank) {
  Model model = model_of(suspect.expected, suspect);
  const reference::RopeFrequencies right = model.frequencies;
  for (size_t pair = 0; pair < order.size(); ++pair) {
    model.frequencies.frequency[pair] = right.frequency[order[pair]];
    model.frequencies.error[pair] = right.error[order[pair]];
  }
  return {"frequency-order", std::move(text), order_advice, rank, std::move(model), {}};
}

// The pair whose frequency is nearest to what was measured, where it is near.
std::optional<size_t> pair_with(const std::vector<double>& frequencies, double measured) {
  std::optional<size_t> best;
  double least = 0.01;
  for (size_t pair = 0; pair < frequencies.size(); ++pair) {
    const double distance = std::abs(measured - frequencies[pair]) / frequencies[pair];
    if (distance < least) {
      least = distance;
      best = pair;
    }
  }
  return best;
}

}  // namespace

std::vector<Alternative> order_alternatives(const Suspect& suspect, const std::vector<i64>& wrong_pairs) {
  std::vector<Alternative> list;
  const Model right = model_of(suspect.expected, suspect);
  const std::vector<double>& frequencies = right.frequencies.frequency;
  const size_t pairs = frequencies.size();
  if (i64(pairs) != suspect.pairs || pairs < 2) return list;
  std::vector<size_t> same(pairs);
  for (size_t pair = 0; pair < pairs; ++pair) same[pair] = pair;
  std::vector<size_t> reversed(same.rbegin(), same.rend());
  list.push_back(in_order(suspect, reversed, "the frequencies are in reversed order", 1));
  if (wrong_pairs.size() == 2) {
    std::vector<size_t> order = same;
    std::swap(order[size_t(wrong_pairs[0])], order[size_t(wrong_pairs[1])]);
    list.push_back(
        in_order(suspect, order,
                 fmt::format("the frequencies of pairs {} and {} are exchanged", wrong_pairs[0], wrong_pairs[1]), 1));
  }
  // Any other order, where each pair tells its frequency.
  if (suspect.measured.size() < pairs) return list;
  std::vector<size_t> order;
  std::vector<bool> taken(pairs);
  for (size_t pair = 0; pair < pairs; ++pair) {
    const std::optional<size_t> from = pair_with(frequencies, suspect.measured[pair]);
    if (!from || taken[*from]) return list;
    taken[*from] = true;
    order.push_back(*from);
  }
  const auto moved = std::mismatch(order.begin(), order.end(), same.begin());
  if (moved.first != order.end()) {
    const size_t pair = size_t(moved.first - order.begin());
    list.push_back(in_order(
        suspect, order,
        fmt::format("the frequencies are in another order: pair {} has that of pair {}", pair, order[pair]), 2));
  }
  return list;
}

}  // namespace ropewalk::rope
