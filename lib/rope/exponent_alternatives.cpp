#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/alternatives.h"
#include "lib/rope/grid_tables.h"

namespace ropewalk::rope {
namespace {

// Whether the frequencies are powers of one base with exponents over rotary_dim, before any scaling.
bool has_plain_exponents(const Suspect& suspect) {
  const RopeFormula& formula = suspect.expected;
  return formula.type != RopeType::Proportional && !is_grid(formula.axes) && formula.theta > 1 &&
         suspect.pairs == formula.pairs();
}

// Types whose base is made of theta and the length: another theta is not another width there.
bool has_own_base(RopeType type) {
  return type == RopeType::Ntk || type == RopeType::Dynamic || type == RopeType::DynamicAlpha;
}

// The base that has the same frequencies over the right width.
double same_theta(const RopeFormula& formula, i64 width) {
  return std::pow(formula.theta, double(formula.rotary_dim) / double(width));
}

// 1000 is a root of a million, and no model has it.
bool is_common(double theta) {
  return std::ranges::any_of(common_thetas,
                             [&](double known) { return known != 1e3 && std::abs(theta - known) < 1e-6 * known; });
}

bool is_models(const Suspect& suspect, i64 width) {
  return width == suspect.model_width && width > suspect.expected.head_dim;
}

struct Width {
  i64 columns = 0;
  bool fitted = false;
};

// The whole multiple of the right width, or the whole part of it, that a pair tells beside the first one; 0: none.
i64 measured_width(const Suspect& suspect, size_t pair) {
  const Model own = model_of(suspect.expected, suspect);
  if (pair < 1 || suspect.measured.size() <= pair || own.frequencies.frequency.size() <= pair) return 0;
  const double got = std::log(suspect.measured[pair] / suspect.measured[0]);
  const double wanted = std::log(own.frequencies.frequency[pair] / own.frequencies.frequency[0]);
  const double times = wanted / got, part = got / wanted;
  for (const double ratio : {times, part}) {
    const double whole = std::round(ratio);
    if (!(whole >= 2 && whole <= 1024) || std::abs(ratio - whole) > 1e-3 * whole) continue;
    const double width = double(suspect.expected.rotary_dim) * (ratio == times ? whole : 1 / whole);
    return width == std::round(width) ? i64(width) : 0;
  }
  return 0;
}

std::vector<Width> widths_of(const Suspect& suspect) {
  const i64 d = suspect.expected.rotary_dim;
  std::vector<Width> widths;
  const auto add = [&](i64 width, bool fitted) {
    const bool is_new = std::ranges::none_of(widths, [&](const Width& known) { return known.columns == width; });
    // Of a part of the head the whole head is a cause of its own.
    if (width >= 2 && width != d && width != suspect.expected.head_dim && is_new) widths.push_back({width, fitted});
  };
  if (is_models(suspect, suspect.model_width)) add(suspect.model_width, false);
  for (const i64 times : {2, 4}) {
    add(d * times, false);
    if (d % times == 0) add(d / times, false);
  }
  // No scaling bends the first pairs.
  for (const i64 pair : {std::max<i64>(1, suspect.pairs / 16), suspect.pairs - 1})
    add(measured_width(suspect, size_t(pair)), true);
  return widths;
}

// Proportional rope has the exponents of the whole head; other ropes those of the columns that turn.
std::vector<Alternative> over_turning_columns(const Suspect& suspect) {
  const RopeFormula& expected = suspect.expected;
  RopeFormula other = expected;
  other.theta = std::pow(expected.theta, double(expected.head_dim) / double(expected.rotary_dim));
  Model model = model_of(other, suspect);
  if (other.theta == expected.theta || model.frequencies.pairs() < suspect.pairs) return {};
  return {{"exponent-width",
           fmt::format("the exponents are over the {} columns that turn in place of the head's {}", expected.rotary_dim,
                       expected.head_dim),
           fmt::format("compute the frequencies of proportional rope as theta^(-2 i / {})", expected.head_dim),
           1,
           std::move(model),
           {}}};
}

}  // namespace

std::vector<Alternative> exponent_alternatives(const Suspect& suspect) {
  std::vector<Alternative> list;
  if (suspect.expected.type == RopeType::Proportional) return over_turning_columns(suspect);
  if (!has_plain_exponents(suspect)) return list;
  const RopeFormula& expected = suspect.expected;
  for (const Width& width : widths_of(suspect)) {
    const bool of_model = is_models(suspect, width.columns);
    const auto add = [&](Model model, std::optional<RopeFormula> formula, const std::string& same) {
      if (model.frequencies.pairs() < suspect.pairs) return;
      const int rank = of_model ? 1 : is_common(same_theta(expected, width.columns)) ? 3 : 2;
      list.push_back({of_model ? "model-width-for-head-dim" : "exponent-width",
                      fmt::format("the exponents are over {}{} in place of {}{}", width.columns,
                                  of_model ? ", the width of the model," : "", expected.rotary_dim, same),
                      fmt::format("compute the frequencies as theta^(-2 i / {})", expected.rotary_dim),
                      rank,
                      std::move(model),
                      {},
                      width.fitted,
                      std::move(formula)});
    };
    if (has_own_base(expected.type)) {
      Model model = model_of(expected, suspect);
      const double first = model.frequencies.frequency[0];
      const double power = double(expected.rotary_dim) / double(width.columns);
      for (double& frequency : model.frequencies.frequency) frequency = first * std::pow(frequency / first, power);
      add(std::move(model), std::nullopt, "");
      continue;
    }
    RopeFormula formula = expected;
    formula.theta = same_theta(expected, width.columns);
    add(model_of(formula, suspect), formula,
        fmt::format(": the same as theta {:.7g} in place of {:.10g}", formula.theta, expected.theta));
    // The ramp of yarn ends at the last column of that width.
    if (expected.type != RopeType::Yarn && expected.type != RopeType::DeepseekYarn) continue;
    formula = expected;
    formula.head_dim = formula.rotary_dim = width.columns;
    add(model_of(formula, suspect), std::nullopt, "");
  }
  return list;
}

std::string other_reading(const Suspect& suspect, double theta) {
  if (!has_plain_exponents(suspect) || has_own_base(suspect.expected.type)) return "";
  for (const Width& width : widths_of(suspect)) {
    if (std::abs(same_theta(suspect.expected, width.columns) - theta) < 1e-6 * theta)
      return fmt::format(", or the exponents are over {} in place of {}", width.columns, suspect.expected.rotary_dim);
  }
  return "";
}

}  // namespace ropewalk::rope
