#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/formula_list.h"

namespace ropewalk::rope {

namespace {

using Type = RopeType;

class Parameters : public FormulaList {
 public:
  using FormulaList::FormulaList;

  std::vector<Alternative> all() {
    parameters();
    inverted();
    return taken();
  }

 private:
  // The scaling the other way around: factors that multiply, or a ramp that falls where it should rise.
  void inverted() {
    const char* const advice = "compare the formula of the scaling with that of rope_type, sign by sign";
    if (expected_.type == Type::LongRope) {
      RopeFormula other = expected_;
      for (auto* factors : {&other.short_factor, &other.long_factor}) {
        for (double& factor : *factors) factor = 1 / factor;
      }
      return add("scaling-inverted", 1, other, "longrope's factors multiply the frequencies, which they should divide",
                 advice);
    }
    if (!has_ramp(expected_.type) || expected_.factor <= 1) return;
    RopeFormula plain = expected_;
    plain.type = Type::Default;
    const Model unscaled = model_of(plain, suspect_);
    Model model = model_of(expected_, suspect_);
    if (model.frequencies.pairs() < suspect_.pairs || unscaled.frequencies.pairs() < suspect_.pairs) return;
    for (size_t pair = 0; pair < model.frequencies.frequency.size(); ++pair) {
      double& w = model.frequencies.frequency[pair];
      const double kept = unscaled.frequencies.frequency[pair], divided = kept / expected_.factor;
      w = kept + divided - w;
      // A program that writes it so loses as much as is left of the sum.
      model.frequencies.error[pair] = 2 * model.frequencies.error[pair] + 0x1p-23 * kept / w;
    }
    list_.push_back(
        {"scaling-inverted",
         fmt::format("the ramp of {} is upside down: fast pairs are divided by {:.6g}, and slow ones are kept",
                     name_of(expected_.type), expected_.factor),
         advice,
         1,
         std::move(model),
         {}});
  }

  void add_parameter(const RopeFormula& other, const std::string& what, int rank = 3) {
    const std::string text =
        fmt::format("{} scaling by the right factor {:.6g}, but {}", name_of(expected_.type), expected_.factor, what);
    add("scaling-wrong-parameter", rank, other, text,
        "hand all rope fields of the configuration on, not the factor alone");
  }

  void parameters() {
    const bool yarn = expected_.type == Type::Yarn || expected_.type == Type::DeepseekYarn;
    if (!yarn && expected_.type != Type::Llama3 && expected_.type != Type::Dynamic && expected_.type != Type::MixedNtk)
      return;
    if (expected_.type == Type::Dynamic) other_lengths();
    for (const i64 length : lengths()) {
      RopeFormula other = expected_;
      other.original_positions = length;
      if (length != expected_.trained_positions()) {
        add_parameter(other,
                      fmt::format("with original length {} in place of {}", length, expected_.trained_positions()));
      }
    }
    if (yarn) yarn_parameters();
    if (expected_.type == Type::Llama3) llama3_parameters();
    if (expected_.type == Type::MixedNtk) {
      for (const double exponent : {0.5, 0.625, 0.75, 1.0, 1.5, 2.0}) {
        RopeFormula other = expected_;
        other.mixed_b = exponent;
        add_parameter(other, fmt::format("with exponent {} in place of {}", exponent, expected_.mixed_b));
      }
    }
  }

  // Dynamic rope whose base was made for a table of another length: of a longer prompt, or of all that can come.
  void other_lengths() {
    const i64 last = suspect_.pairs - 1;
    const double d = double(expected_.rotary_dim), length = double(expected_.trained_positions());
    std::vector<i64> rows = lengths();
    const size_t known = rows.size();
    if (measured(last) > 0 && last > 0 && length > 0 && d > 2) {
      const double base = std::pow(measured(last), -d / (2.0 * double(last)));
      const double stretch = std::pow(base / expected_.theta, (d - 2) / d);
      const double fitted = (stretch + expected_.factor - 1) * length / expected_.factor;
      if (fitted > 0 && fitted < 1e9) rows.push_back(i64(std::round(fitted)));
    }
    for (size_t n = 0; n < rows.size(); ++n) {
      if (rows[n] == suspect_.table_rows) continue;
      Suspect other = suspect_;
      other.table_rows = rows[n];
      list_.push_back(
          {"scaling-wrong-parameter",
           fmt::format("dynamic scaling by the right factor {:.6g}, but with the base for {} positions in "
                       "place of {}",
                       expected_.factor, rows[n], std::max(suspect_.table_rows, expected_.trained_positions())),
           "make the base for the positions that the table has, again whenever it grows or shrinks",
           n < known ? 3 : 4,
           model_of(expected_, other),
           {},
           n >= known});
    }
  }

  void yarn_parameters() {
    RopeFormula other = expected_;
    other.truncate = !expected_.truncate;
    add_parameter(other, fmt::format("the ramp's borders are {}whole numbers", other.truncate ? "" : "not "));
    for (const double fast : {1., 8., 16., 24., 32., 48., 64., 128.}) {
      for (const double slow : {0.5, 1., 2., 4., 8., 32.}) {
        if (fast < slow) continue;
        RopeFormula one = expected_;
        one.beta_fast = fast;
        one.beta_slow = slow;
        add_parameter(one, fmt::format("with beta {} to {} in place of {} to {}", fast, slow, expected_.beta_fast,
                                       expected_.beta_slow));
        if (fast == expected_.beta_fast && slow == expected_.beta_slow) continue;
        one.truncate = !one.truncate;
        add_parameter(one,
                      fmt::format("with beta {} to {}, and the ramp's borders are {}whole", fast, slow,
                                  one.truncate ? "" : "not "),
                      4);
      }
    }
  }

  void llama3_parameters() {
    for (const double low : {0.5, 1., 2., 4., 8.}) {
      for (const double high : {1., 2., 4., 8., 16., 32.}) {
        if (high < low) continue;
        RopeFormula one = expected_;
        one.low_freq_factor = low;
        one.high_freq_factor = high;
        add_parameter(one, fmt::format("with frequency factors {} and {} in place of {} and {}", low, high,
                                       expected_.low_freq_factor, expected_.high_freq_factor));
      }
    }
  }
};

}  // namespace

std::vector<Alternative> parameter_alternatives(const Suspect& suspect) { return Parameters(suspect).all(); }

}  // namespace ropewalk::rope
