#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lib/rope/alternatives.h"
#include "lib/rope/words.h"

// Ranks: 1 one thing left out or taken for another that the configuration names itself; 2 one well-known number; 3 a
// well-known number of a parameter of minor weight; 4 a number that was fitted.
namespace ropewalk::rope {

using reference::rope_attention;

namespace {

using Type = RopeType;

bool has_factor(Type type) { return type != Type::Default && type != Type::DynamicAlpha && type != Type::LongRope; }

// The nearest number that people write: a round one within half a percent, else three digits that are very near.
double plain_number(double value) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const auto near = [&](double step, double reach) {
    const double rounded = std::round(value / step) * step;
    return std::abs(rounded - value) < reach * value ? rounded : 0;
  };
  for (const double step : {10 * unit, 5 * unit, 2.5 * unit, unit}) {
    if (const double found = near(step, 5e-3)) return found;
  }
  for (const double step : {unit / 2, unit / 4}) {
    if (const double found = near(step, 5e-4)) return found;
  }
  return value;
}

// NaN: the formula has no such pair.
double frequency_of(const Model& model, i64 pair) {
  return pair < model.frequencies.pairs() ? model.frequencies.frequency[size_t(pair)] : NAN;
}

class Alternatives {
 public:
  explicit Alternatives(const Suspect& suspect)
      : suspect_(suspect),
        expected_(suspect.expected),
        source_(suspect.recognised ? "the recognised formula" : "the configuration") {}

  std::vector<Alternative> all() {
    list_ = attention_alternatives(suspect_);
    scaling_left_out();
    other_set();
    widths();
    for (Alternative& one : exponent_alternatives(suspect_)) list_.push_back(std::move(one));
    thetas();
    factors();
    types();
    parameters();
    unexpected();
    multiplied();
    return std::move(list_);
  }

 private:
  void add(const char* cause, int rank, const RopeFormula& formula, std::string text, std::string advice,
           bool free_fit = false) {
    if (formula == expected_) return;
    Model model = model_of(formula, suspect_);
    if (model.frequencies.pairs() < suspect_.pairs) return;
    list_.push_back({cause, std::move(text), std::move(advice), rank, std::move(model), {}, free_fit, formula});
  }

  double measured(i64 pair) const {
    return pair >= 0 && pair < i64(suspect_.measured.size()) ? suspect_.measured[size_t(pair)] : NAN;
  }

  void scaling_left_out() {
    if (expected_.type == Type::Default) return;
    RopeFormula plain = expected_;
    plain.type = Type::Default;
    plain.attention_factor.reset();
    std::string text = fmt::format("the table is not scaled; {} says {} by {:.6g}", source_, name_of(expected_.type),
                                   expected_.factor);
    if (expected_.type == Type::Proportional) {
      add("scaling-missing", 1, plain,
          fmt::format("the table is a default rope of {} columns; {} lets {} of {} pairs turn", plain.rotary_dim,
                      source_, expected_.rotary_dim / 2, expected_.head_dim / 2),
          "let the turning pairs have the exponents of the whole head, and the others stand still");
      plain.rotary_dim = plain.head_dim;
      text = fmt::format("all {} pairs turn; {} lets {} of them turn", expected_.head_dim / 2, source_,
                         expected_.rotary_dim / 2);
    }
    const char* const advice = "apply the scaling whenever the cache is built, also where it is rebuilt";
    add("scaling-missing", 1, plain, text, advice);
    if (rope_attention(expected_) != 1) {
      plain.attention_factor = rope_attention(expected_);
      add("scaling-missing", 1, plain, text + " (only its attention factor is there)", advice);
    }
  }

  void other_set() {
    if (expected_.type != Type::LongRope) return;
    const bool is_long = expected_.long_set.value_or(suspect_.table_rows > expected_.trained_positions());
    RopeFormula other = expected_;
    other.long_set = !is_long;
    add("longrope-wrong-set", 1, other,
        fmt::format("the {} factors were used; {} rows need the {} ones", is_long ? "short" : "long",
                    suspect_.table_rows, is_long ? "long" : "short"),
        fmt::format("choose the long factors where the cache has more than {} rows, the short ones elsewhere",
                    expected_.trained_positions()));
  }

  void widths() {
    const i64 width = 2 * suspect_.pairs;
    if (suspect_.pairs != expected_.pairs() && expected_.type != Type::LongRope) {
      RopeFormula other = expected_;
      other.rotary_dim = width;
      other.head_dim = std::max(other.head_dim, width);
      const bool whole_head = width == expected_.head_dim && expected_.rotary_dim < expected_.head_dim;
      if (whole_head) {
        add("head-dim-for-rotary-dim", 1, other,
            fmt::format("the table is right for the whole head of {} columns; {} rotates {} of them", width, source_,
                        expected_.rotary_dim),
            fmt::format("build the table with rotary_dim {}", expected_.rotary_dim));
        return;
      }
      // The width of the model, of which a part may be rotated as of a head.
      const bool of_model = suspect_.model_width > expected_.head_dim &&
                            width * expected_.head_dim == suspect_.model_width * expected_.rotary_dim;
      if (of_model) {
        add("model-width-for-head-dim", 1, other,
            fmt::format("the table is right for a head of {} columns, which is the width of the model; a head has {}",
                        suspect_.model_width, expected_.head_dim),
            fmt::format("build the table with dim = head_dim ({})", expected_.head_dim));
        return;
      }
      add("wrong-rotary-dim", 1, other,
          fmt::format("the table is right for rotary_dim {}; {} makes it {}", width, source_, expected_.rotary_dim),
          fmt::format("build the table with rotary_dim {}", expected_.rotary_dim));
    }
    if (expected_.head_dim == expected_.rotary_dim || expected_.type == Type::Proportional) return;
    const std::string text = fmt::format("the exponents are over head_dim {} in place of rotary_dim {}",
                                         expected_.head_dim, expected_.rotary_dim);
    const std::string advice = fmt::format("compute the frequencies as theta^(-2 i / {})", expected_.rotary_dim);
    RopeFormula powers = expected_;
    powers.theta = std::pow(expected_.theta, double(expected_.rotary_dim) / double(expected_.head_dim));
    add("head-dim-for-rotary-dim", 1, powers, text, advice);
    if (expected_.type != Type::LongRope) {
      RopeFormula whole = expected_;
      whole.rotary_dim = expected_.head_dim;
      add("head-dim-for-rotary-dim", 1, whole, text, advice);
    }
  }

  void add_theta(double theta, int rank, bool free_fit) {
    RopeFormula other = expected_;
    other.theta = theta;
    if (std::abs(theta - expected_.theta) < 1e-5 * expected_.theta) return;
    add("wrong-theta", rank, other,
        fmt::format("theta is {:.7g} in place of {:.10g}{}", theta, expected_.theta, other_reading(suspect_, theta)),
        "read rope_theta (and rope_parameters) from the configuration; 10000 is only its default", free_fit);
  }

  void thetas() {
    for (const double theta : common_thetas) add_theta(theta, 2, false);
    // Theta from the slope over the first pairs, which no scaling bends; each base that a formula makes of theta grows
    // with it in proportion.
    const Model own = model_of(expected_, suspect_);
    if (measured(0) > 0 && own.frequencies.pairs() >= suspect_.pairs) {
      for (const i64 pair : {std::max<i64>(1, suspect_.pairs / 16), suspect_.pairs - 1}) {
        if (!(measured(pair) > 0) || !(own.frequencies.frequency[size_t(pair)] > 0)) continue;
        const double got = std::log(measured(pair) / measured(0));
        const double wanted = std::log(own.frequencies.frequency[size_t(pair)] / own.frequencies.frequency[0]);
        const double width =
            expected_.type == Type::Proportional ? double(expected_.head_dim) : 2.0 * double(expected_.pairs());
        const double theta = expected_.theta * std::exp((wanted - got) * width / (2.0 * double(pair)));
        if (!(theta > 1.5) || theta > 1e15) continue;
        if (plain_number(theta) != theta) add_theta(plain_number(theta), 3, true);
        add_theta(theta, 5, true);
      }
    }
  }

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
    const bool has_ramp =
        expected_.type == Type::Yarn || expected_.type == Type::DeepseekYarn || expected_.type == Type::Llama3;
    if (has_ramp) return;
    for (const i64 length : lengths()) {
      if (length == expected_.trained_positions() || (expected_.max_positions && length >= expected_.max_positions))
        continue;
      const auto from = [&](RopeFormula& other) { other.original_positions = length; };
      with(Type::Yarn, fmt::format("yarn by {:.6g} from {} positions", f, length), from, 3);
      with(Type::Llama3, fmt::format("llama3 by {:.6g} from {} positions", f, length), from, 3);
    }
  }

  std::vector<i64> lengths() const {
    std::vector<i64> all = {2048, 4096, 8192, 16384, 32768, 65536, 131072};
    for (const i64 known : {expected_.max_positions, expected_.original_positions, suspect_.table_rows}) {
      for (const double times : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        if (known > 0) all.push_back(std::max<i64>(1, i64(double(known) * times)));
      }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
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

  const Suspect& suspect_;
  const RopeFormula& expected_;
  const char* const source_;  // who says what is expected
  std::vector<Alternative> list_;
};

}  // namespace

Model model_of(const RopeFormula& formula, const Suspect& suspect) {
  Model model;
  model.frequencies = reference::rope_frequencies(formula, suspect.table_rows);
  model.position = suspect.position;
  model.pair_position = suspect.pair_position;
  return model;
}

std::vector<Alternative> formula_alternatives(const Suspect& suspect) {
  std::vector<Alternative> list = Alternatives(suspect).all();
  if (std::optional<Alternative> bent = bent_alternative(suspect)) list.push_back(std::move(*bent));
  // What comes to the same frequencies as the formula itself explains nothing, and formulas whose frequencies are far
  // from the measured ones need not be compared with the table.
  const Model own = model_of(suspect.expected, suspect);
  const auto distance = [&](const Model& model) {
    double sum = 0;
    i64 count = 0;
    for (i64 pair = 0; pair < suspect.pairs && pair < i64(suspect.measured.size()); ++pair) {
      const double got = suspect.measured[size_t(pair)];
      if (!(got > 0)) continue;
      const double away = std::abs(std::log(frequency_of(model, pair) / got));
      sum += away < 1 ? away : 1.0;
      ++count;
    }
    return count ? sum / double(count) : 0.0;
  };
  std::erase_if(list, [&](const Alternative& one) {
    if (own.frequencies.pairs() < suspect.pairs) return false;
    double largest = std::abs(one.model.frequencies.attention - own.frequencies.attention);
    for (i64 pair = 0; pair < suspect.pairs; ++pair) {
      const double a = one.model.frequencies.frequency[size_t(pair)], b = own.frequencies.frequency[size_t(pair)];
      if (b > 0) largest = std::max(largest, std::abs(a - b) / b);
      if (b == 0 && a != 0) largest = 1;
    }
    return largest < 1e-9;
  });
  std::stable_sort(list.begin(), list.end(),
                   [&](const Alternative& a, const Alternative& b) { return distance(a.model) < distance(b.model); });
  // Those that differ from it in the same way stand together: enough are kept for a runner-up of another kind.
  if (!suspect.measured.empty() && list.size() > 24) list.resize(24);
  return list;
}

}  // namespace ropewalk::rope
