#include <fmt/format.h>

#include <cmath>

#include "lib/rope/alternatives.h"

namespace ropewalk::rope {
namespace {

// The factor that brings the right values of one function nearest to the sample's, each value by what its bound allows:
// far rows of fast pairs say little. Values near their largest are left out where there are others, since those of
// small angles are all rounded in the same direction.
double factor_of(const Model& right, const TableSample& sample, Trig trig, Dtype dtype) {
  constexpr double most = 0.98;
  constexpr i64 enough = 64;
  const reference::RopeBound bound(right.frequencies, dtype);
  struct Sum {
    double products = 0, squares = 0;
    i64 count = 0;
  } spread, all;
  for (size_t n = 0; n < sample.rows.size(); ++n) {
    for (i64 pair = 0; pair < sample.pairs; ++pair) {
      const double wanted = right.value_at(sample.rows[n], pair, trig);
      const double got = (trig == Trig::Cos ? sample.cosine : sample.sine)[sample.at(n, pair)];
      if (!std::isfinite(got)) continue;
      const double allowed = right.bound_at(bound, sample.rows[n], pair, trig, wanted);
      const bool is_spread = std::abs(wanted) < most * right.frequencies.attention && wanted != 0;
      for (Sum* sum : {&all, is_spread ? &spread : nullptr}) {
        if (!sum) continue;
        sum->products += got * wanted / (allowed * allowed);
        sum->squares += wanted * wanted / (allowed * allowed);
        ++sum->count;
      }
    }
  }
  const Sum& sum = spread.count < enough ? all : spread;
  return sum.squares > 0 ? sum.products / sum.squares : 1;
}

// how: "once", or "both and once".
Alternative with_factor(Model model, double attention, std::string text, const char* how, int rank) {
  std::string advice = fmt::format("multiply cos and sin with {:.7g}, {}", attention, how);
  return {"attention-factor", std::move(text), std::move(advice), rank, std::move(model), {}, rank > 1};
}

}  // namespace

std::vector<Alternative> attention_alternatives(const Suspect& suspect) {
  std::vector<Alternative> list;
  const double attention = reference::rope_attention(suspect.expected);
  const auto with = [&](double value, std::string text, int rank) {
    Model model = model_of(suspect.expected, suspect);
    // Below what is printed, and what float32 holds, there is no other factor.
    if (std::abs(value - model.frequencies.attention) < 5e-7 * value) return;
    if (rank > 1 && fmt::format("{:.6g}", value) == fmt::format("{:.6g}", attention)) return;
    model.frequencies.attention = value;
    list.push_back(with_factor(std::move(model), attention, std::move(text), "once", rank));
  };
  with(1, fmt::format("cos and sin are not multiplied with the attention factor {:.7g}", attention), 1);
  with(attention * attention, fmt::format("cos and sin are multiplied twice with {:.7g}", attention), 1);
  const auto in_place = [&](double value, const std::string& whose) {
    return fmt::format("cos and sin are multiplied with {:.6g}{} in place of {:.7g}", value, whose, attention);
  };
  // yarn's, which the configuration may say otherwise.
  const double factor = suspect.expected.factor;
  if (factor > 1) {
    const double of_yarn = 0.1 * std::log(factor) + 1;
    with(of_yarn, in_place(of_yarn, fmt::format(" (0.1 ln {:.6g} + 1)", factor)), 2);
  }
  const double measured = suspect.measured_attention;
  if (measured > 0.2 && std::isfinite(measured)) with(measured, in_place(measured, ""), 4);
  return list;
}

std::vector<Alternative> one_sided_alternatives(const Suspect& suspect, const TableSample& sample) {
  std::vector<Alternative> list;
  const Model right = model_of(suspect.expected, suspect);
  if (right.frequencies.pairs() < suspect.pairs || !sample.has_cos || !sample.has_sin) return list;
  const double attention = right.frequencies.attention;
  for (const Trig trig : {Trig::Cos, Trig::Sin}) {
    const char* const this_one = trig == Trig::Cos ? "cos" : "sin";
    const char* const other = trig == Trig::Cos ? "sin" : "cos";
    const auto add = [&](double factor, std::string text, int rank) {
      if (!(factor > 0.05) || factor > 20 || std::abs(factor - 1) < 1e-5) return;
      Model model = right;
      (trig == Trig::Cos ? model.cos_factor : model.sin_factor) = factor;
      list.push_back(with_factor(std::move(model), attention, std::move(text), "both and once", rank));
    };
    add(1 / attention,
        fmt::format("{} alone is multiplied with the attention factor {:.7g}, {} is not", other, attention, this_one),
        1);
    add(attention,
        fmt::format("{} is multiplied twice with the attention factor {:.7g}, {} once", this_one, attention, other), 1);
    const double factor = factor_of(right, sample, trig, suspect.rounding.of(trig));
    add(factor, fmt::format("{} is multiplied with {:.6g}, and {} is not", this_one, factor, other), 3);
  }
  return list;
}

}  // namespace ropewalk::rope
