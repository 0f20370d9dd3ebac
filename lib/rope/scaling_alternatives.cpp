#include <fmt/format.h>

#include <cmath>

#include "lib/rope/formula_list.h"

namespace ropewalk::rope {

using reference::rope_attention;

namespace {

using Type = RopeType;

bool has_factor(Type type) { return type != Type::Default && type != Type::DynamicAlpha && type != Type::LongRope; }

class Scalings : public FormulaList {
 public:
  using FormulaList::FormulaList;

  std::vector<Alternative> all() {
    factors();
    types();
    return taken();
  }

 private:
  void add_factor(double factor, int rank, bool free_fit) {
    if (!(factor > 0) || std::abs(factor - expected_.factor) < 1e-4 * expected_.factor || std::abs(factor - 1) < 1e-4)
      return;
    RopeFormula other = expected_;
    other.factor = factor;
    const std::string text = fmt::format("the factor of the {} scaling is {:.6g} in place of {:.6g}",
                                         name_of(expected_.type), factor, expected_.factor);
    const char* const advice = "take the factor from the configuration";
    add("scaling-wrong-factor", rank, other, text, advice, free_fit);
    if (rope_attention(other) != rope_attention(expected_)) {
      other.attention_factor = rope_attention(expected_);
      add("scaling-wrong-factor", rank, other, text, advice, free_fit);
    }
  }

  void factors() {
    if (!has_factor(expected_.type)) return;
    for (const double factor : {1.5, 2., 3., 4., 5., 6., 8., 10., 12., 16., 20., 24., 32., 40., 48., 64., 128.}) {
      add_factor(factor, 2, false);
    }
    add_factor(1 / expected_.factor, 2, false);
    for (const double times : {0.25, 0.5, 2.0, 4.0}) add_factor(times * expected_.factor, 2, false);
    const i64 last = suspect_.pairs - 1;
    const double slowest = measured(last);
    if (!(slowest > 0)) return;
    RopeFormula plain = expected_;
    plain.type = Type::Default;
    const double unscaled = frequency_of(model_of(plain, suspect_), last);
    double factor = unscaled / slowest;  // the slowest pair is divided by the whole factor
    const double d = double(expected_.rotary_dim);
    if (expected_.type == Type::Ntk) {
      factor = std::exp((std::log(unscaled / slowest)) * d / (2.0 * double(last) + 2));
    } else if (expected_.type == Type::Dynamic && d > 2 && last > 0) {
      const double base_ratio = std::pow(unscaled / slowest, d / (2.0 * double(last)));
      const double stretch = double(suspect_.table_rows) / double(expected_.trained_positions());
      factor = (std::pow(base_ratio, (d - 2) / d) - 1) / (stretch - 1);
    }
    if (!(factor > 0.01) || factor > 1e5) return;
    add_factor(plain_number(factor), 3, true);
    add_factor(factor, 5, true);
  }

  void types() {
    if (expected_.type == Type::Default || expected_.type == Type::Proportional) return;
    const double f = expected_.factor;
    if (f == 1) return;
    const double d = double(expected_.rotary_dim);
    const auto with = [&](Type type, const std::string& words, const auto& change, int rank = 1) {
      if (type == expected_.type) return;
      RopeFormula other = expected_;
      other.type = type;
      other.attention_factor.reset();
      change(other);
      const std::string text =
          fmt::format("the table is scaled as {}, {} says {}", words, source_, name_of(expected_.type));
      add("scaling-wrong-type", rank, other, text, "choose the scaling by rope_type (or type)");
      if (rope_attention(expected_) != rope_attention(other)) {
        other.attention_factor = rope_attention(expected_);
        add("scaling-wrong-type", rank, other, text, "choose the scaling by rope_type (or type)");
      }
    };
    const auto same = [](RopeFormula&) {};
    with(Type::Linear, fmt::format("linear by {:.6g}", f), same);
    with(Type::Ntk, fmt::format("ntk by {:.6g}", f), same);
    with(Type::Dynamic, fmt::format("dynamic by {:.6g}", f), same);
    if (d > 2) {
      with(Type::Default, fmt::format("static ntk by {:.6g}", f),
           [&](RopeFormula& other) { other.theta *= std::pow(f, d / (d - 2)); });
    }
    if (expected_.trained_positions()) {
      with(Type::Yarn, fmt::format("yarn by {:.6g}", f), same);
      with(Type::Llama3, fmt::format("llama3 by {:.6g}", f), same);
    }
    // The length before scaling, which types without a ramp need not say: it is less than the model's.
    if (has_ramp(expected_.type)) return;
    for (const i64 length : lengths()) {
      if (length == expected_.trained_positions() || (expected_.max_positions && length >= expected_.max_positions))
        continue;
      const auto from = [&](RopeFormula& other) { other.original_positions = length; };
      with(Type::Yarn, fmt::format("yarn by {:.6g} from {} positions", f, length), from, 3);
      with(Type::Llama3, fmt::format("llama3 by {:.6g} from {} positions", f, length), from, 3);
    }
  }
};

}  // namespace

std::vector<Alternative> scaling_alternatives(const Suspect& suspect) { return Scalings(suspect).all(); }

}  // namespace ropewalk::rope
