#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/formula_list.h"
#include "lib/rope/judge_table.h"

namespace ropewalk::rope {

using reference::rope_attention;

namespace {

using Type = RopeType;

// What the configuration names, left out or taken for another: the scaling, the set, the width, theta.
class Named : public FormulaList {
 public:
  using FormulaList::FormulaList;

  std::vector<Alternative> all() {
    list_ = attention_alternatives(suspect_);
    scaling_left_out();
    other_set();
    widths();
    for (Alternative& one : exponent_alternatives(suspect_)) list_.push_back(std::move(one));
    thetas();
    return taken();
  }

 private:
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
        // Digits that the table cannot tell from the measured ones are no part of the number.
        double last = plain_number(theta);
        for (int digits = 2; digits <= 6; ++digits) {
          const double shorter = rounded_to_digits(theta, digits);
          if (shorter != last) add_theta(shorter, 4, true);
          last = shorter;
        }
        add_theta(theta, 5, true);
      }
    }
  }
};

}  // namespace

Model model_of(const RopeFormula& formula, const Suspect& suspect) {
  Model model;
  model.frequencies = reference::rope_frequencies(formula, suspect.table_rows);
  model.position = suspect.position;
  model.pair_position = suspect.pair_position;
  if (suspect.image) {
    model.frequencies = frequencies_by_axes(formula, model.frequencies);
    model.position_error = coordinate_error(suspect.image->count);
  }
  return model;
}

std::vector<Alternative> formula_alternatives(const Suspect& suspect) {
  std::vector<Alternative> list = Named(suspect).all();
  for (const auto more : {scaling_alternatives, parameter_alternatives, unexpected_alternatives}) {
    for (Alternative& one : more(suspect)) list.push_back(std::move(one));
  }
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
