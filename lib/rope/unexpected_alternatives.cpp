#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "lib/rope/formula_list.h"
#include "lib/rope/words.h"

namespace ropewalk::rope {

namespace {

using Type = RopeType;

class Unexpected : public FormulaList {
 public:
  using FormulaList::FormulaList;

  std::vector<Alternative> all() {
    unexpected();
    multiplied();
    return taken();
  }

 private:
  // The configuration says default, and the table is scaled.
  void unexpected() {
    if (expected_.type != Type::Default) return;
    const char* const advice = "use a configuration that says the scaling, or build the table without it";
    const i64 last = suspect_.pairs - 1;
    const double unscaled = frequency_of(model_of(expected_, suspect_), last);
    std::vector<double> factors = {2, 4, 8, 16, 32, 40, 64};
    if (measured(last) > 0) {
      const double ratio = unscaled / measured(last);
      if (ratio > 1.01 && ratio < 1e4) factors.insert(factors.begin(), {plain_number(ratio), ratio});
    }
    for (size_t n = 0; n < factors.size(); ++n) {
      const double factor = factors[n];
      const bool fitted = n == 1 && factors.size() > 8;
      RopeFormula other = expected_;
      other.factor = factor;
      other.type = Type::Linear;
      add("scaling-unexpected", fitted ? 4 : 2, other,
          fmt::format("the table is scaled linearly by {:.6g}; {} says no scaling", factor, source_), advice, fitted);
      const bool near_measured = std::abs(factor * measured(last) - unscaled) < 0.03 * unscaled;
      if (!near_measured) continue;
      for (const i64 length : lengths()) {
        other.original_positions = length;
        for (const Type type : {Type::Llama3, Type::Yarn}) {
          other.type = type;
          add("scaling-unexpected", fitted ? 4 : 3, other,
              fmt::format("the table is scaled: {}; {} says no scaling", in_words(other), source_), advice, true);
        }
      }
    }
  }

  // All frequencies by one factor, which of a scaled formula is a second scaling.
  void multiplied() {
    const Model own = model_of(expected_, suspect_);
    if (own.frequencies.pairs() < suspect_.pairs) return;
    constexpr double turn = 2 * std::numbers::pi;
    add_multiplied(own, turn, "all frequencies are multiplied by 2 pi", 2);
    add_multiplied(own, 1 / turn, "all frequencies are divided by 2 pi", 2);
    const double first = measured(0) / own.frequencies.frequency[0];
    const double last = measured(suspect_.pairs - 1) / frequency_of(own, suspect_.pairs - 1);
    if (!(first > 0) || !std::isfinite(first) || std::abs(last - first) > 1e-3 * first) return;
    const bool grown = first > 1;
    // By 1 it is none, and a linear scaling has its own words.
    const bool is_linear = expected_.type == Type::Linear || (!grown && expected_.type == Type::Default);
    if (is_linear || std::abs(first - 1) < 1e-4) return;
    for (const double times : {plain_number(grown ? first : 1 / first), grown ? first : 1 / first}) {
      add_multiplied(
          own, grown ? times : 1 / times,
          fmt::format(
              "all frequencies are {} by {:.6g}{}", grown ? "multiplied" : "divided", times,
              expected_.type == Type::Default ? "" : fmt::format(", beside the {} scaling", name_of(expected_.type))),
          3);
    }
  }

  void add_multiplied(const Model& own, double factor, std::string text, int rank) {
    Model model = own;
    for (double& frequency : model.frequencies.frequency) frequency *= factor;
    for (double& error : model.frequencies.error) error += 0x1p-23;
    list_.push_back({"scaling-unexpected",
                     std::move(text),
                     "scale the frequencies once, and by what the configuration says alone",
                     rank,
                     std::move(model),
                     {},
                     true});
  }
};

}  // namespace

std::vector<Alternative> unexpected_alternatives(const Suspect& suspect) { return Unexpected(suspect).all(); }

}  // namespace ropewalk::rope
