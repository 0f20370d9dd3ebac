#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/alternatives.h"

namespace ropewalk::rope {

std::optional<Alternative> bent_alternative(const Suspect& suspect) {
  const RopeFormula& expected = suspect.expected;
  RopeFormula plain = expected;
  plain.type = RopeType::Default;
  const Model unscaled = model_of(plain, suspect), own = model_of(expected, suspect);
  if (suspect.measured.size() < size_t(suspect.pairs) || unscaled.frequencies.pairs() < suspect.pairs ||
      suspect.pairs < 4)
    return std::nullopt;
  std::vector<double> ratio;
  for (i64 pair = 0; pair < suspect.pairs; ++pair)
    ratio.push_back(unscaled.frequencies.frequency[size_t(pair)] / suspect.measured[size_t(pair)]);
  const double factor = ratio.back();
  const auto near = [](double a, double b) { return std::abs(a - b) < 0.004 * b; };
  bool ramp = near(ratio[0], 1) && factor > 1.05;
  for (size_t i = 1; i < ratio.size(); ++i) ramp &= ratio[i] > ratio[i - 1] * 0.996;
  ramp = ramp && near(ratio[ratio.size() - 2], factor);
  if (!ramp) return std::nullopt;
  Model model = own;
  model.frequencies.frequency.assign(suspect.measured.begin(), suspect.measured.begin() + suspect.pairs);
  model.frequencies.attention = suspect.measured_attention > 0 ? suspect.measured_attention : own.frequencies.attention;
  for (double& error : model.frequencies.error) error = std::max(error, 1e-5);
  const char* const cause = expected.type == RopeType::Default ? "scaling-unexpected"
                            : !has_ramp(expected.type)         ? "scaling-wrong-type"
                            : near(factor, expected.factor)    ? "scaling-wrong-parameter"
                                                               : "scaling-wrong-factor";
  return Alternative{
      cause,
      fmt::format("the frequencies are kept at first and divided by {:.5g} at last, with a ramp between", factor),
      "build the table with the scaling that the configuration says, and all of its parameters",
      6,
      std::move(model),
      {},
      true,
      {}};
}

}  // namespace ropewalk::rope
