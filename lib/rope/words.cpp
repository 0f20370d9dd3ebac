#include "lib/rope/words.h"

#include <fmt/format.h>

#include "reference/rope_table.h"

namespace ropewalk::rope {
namespace {

std::string length_text(const RopeFormula& formula) {
  return formula.trained_positions() ? fmt::format("original length {}", formula.trained_positions()) : "";
}

std::string scaling_text(const RopeFormula& formula) {
  switch (formula.type) {
    case RopeType::Default:
      return "";
    case RopeType::Linear:
      return fmt::format(", frequencies divided by {}", formula.factor);
    case RopeType::Dynamic:
      return fmt::format(", base grows by factor {} beyond {}", formula.factor, length_text(formula));
    case RopeType::DynamicAlpha:
      return fmt::format(", alpha {}: base {:.6g}", formula.alpha, reference::rope_base(formula, 0));
    case RopeType::Yarn:
    case RopeType::DeepseekYarn: {
      const reference::YarnRamp ramp = reference::yarn_ramp(formula);
      return fmt::format(", factor {} ({}, beta {} to {}, ramp over pairs {:.4g} to {:.4g}{})", formula.factor,
                         length_text(formula), formula.beta_fast, formula.beta_slow, ramp.low, ramp.high,
                         formula.truncate ? "" : ", not truncated");
    }
    case RopeType::LongRope:
      return fmt::format(", {} factors a pair ({})",
                         formula.long_set ? (*formula.long_set ? "long" : "short") : "short or long",
                         length_text(formula));
    case RopeType::Llama3:
      return fmt::format(", factor {} (low {}, high {}, {})", formula.factor, formula.low_freq_factor,
                         formula.high_freq_factor, length_text(formula));
    case RopeType::Proportional:
      return fmt::format(", {} of {} pairs turn, divided by {}", formula.rotary_dim / 2, formula.head_dim / 2,
                         formula.factor);
    case RopeType::Ntk:
      return fmt::format(", factor {}", formula.factor);
    case RopeType::MixedNtk:
      return fmt::format(", factor {}, exponent {}", formula.factor, formula.mixed_b);
  }
  return "";
}

}  // namespace

std::string in_words(const RopeFormula& formula) {
  std::string out =
      fmt::format("{} rope: theta {:.10g}, {} pairs", name_of(formula.type), formula.theta, formula.pairs());
  if (formula.rotary_dim != formula.head_dim && formula.type != RopeType::Proportional) {
    out += fmt::format(" of {} columns in a head of {}", formula.rotary_dim, formula.head_dim);
  }
  out += scaling_text(formula);
  const double attention = reference::rope_attention(formula);
  const bool by_set = formula.short_mscale && formula.long_mscale && *formula.short_mscale != *formula.long_mscale;
  if (by_set && !formula.long_set) {
    out += fmt::format(", cos and sin times {:.6g} or {:.6g}", *formula.short_mscale, *formula.long_mscale);
  } else if (attention != 1) {
    out += fmt::format(", cos and sin times {:.6g}", attention);
  }
  if (formula.axes != RopeAxes::One) {
    out += fmt::format(", {}", name_of(formula.axes));
    for (size_t n = 0; n < formula.sections.size(); ++n) out += fmt::format("{}{}", n ? "+" : " ", formula.sections[n]);
  }
  if (formula.xpos_scale_base) out += fmt::format(", XPos of base {}", *formula.xpos_scale_base);
  if (formula.temperature_beta) {
    out += fmt::format(", queries times 1 + {} ln(1 + floor(position / {}))", *formula.temperature_beta,
                       formula.trained_positions());
  }
  return out;
}

}  // namespace ropewalk::rope
