#include "lib/rope/own_formats.h"

#include "lib/rope/config_fields.h"

namespace ropewalk::rope {
namespace {

bool is_gpt_oss(const JsonCursor& object) {
  return object.has_value("rope_scaling_factor") && object.has_value("initial_context_length");
}

bool is_llama(const JsonCursor& object) {
  return object.has_value("use_scaled_rope") && object.at("use_scaled_rope").value().is_boolean() &&
         object.at("use_scaled_rope").boolean();
}

bool is_deepseek(const JsonCursor& object) {
  for (const char* name : {"dim", "n_heads", "kv_lora_rank", "qk_rope_head_dim"}) {
    if (!object.has_value(name)) return false;
  }
  return !object.has("model_type");
}

RopeFormula yarn_of(const JsonCursor& object, const RopeFormula& plain, const char* beta_fast, const char* beta_slow) {
  RopeFormula formula = plain;
  formula.type = RopeType::Yarn;
  formula.beta_fast = optional_positive(object, beta_fast).value_or(32);
  formula.beta_slow = optional_positive(object, beta_slow).value_or(1);
  return formula;
}

RopeFormula gpt_oss(const JsonCursor& object, const RopeFormula& plain) {
  RopeFormula formula = yarn_of(object, plain, "rope_ntk_beta", "rope_ntk_alpha");
  formula.factor = *optional_positive(object, "rope_scaling_factor");
  formula.original_positions = *positive_integer(object, {"initial_context_length"});
  formula.truncate = false;
  return formula.factor > 1 ? formula : plain;
}

RopeFormula llama(const RopeFormula& plain, double factor) {
  RopeFormula formula = plain;
  formula.type = RopeType::Llama3;
  formula.factor = factor;
  formula.low_freq_factor = 1;
  formula.high_freq_factor = 4;
  formula.original_positions = 8192;
  return formula;
}

RopeFormula deepseek(const JsonCursor& object, const RopeFormula& plain) {
  RopeFormula formula = yarn_of(object, plain, "beta_fast", "beta_slow");
  formula.factor = optional_positive(object, "rope_factor").value_or(40);
  formula.original_positions = positive_integer(object, {"original_seq_len"}).value_or(4096);
  formula.attention_factor = 1;
  const auto length = positive_integer(object, {"max_seq_len"});
  return length && *length <= formula.original_positions ? plain : formula;
}

}  // namespace

bool has_own_format(const JsonCursor& object) {
  return object.is_object() && (is_gpt_oss(object) || is_llama(object) || is_deepseek(object));
}

std::vector<RopeFormula> formulas_of_own_format(const JsonCursor& object, const RopeFormula& plain) {
  if (is_gpt_oss(object)) return {gpt_oss(object, plain)};
  if (is_llama(object)) return {llama(plain, 8), llama(plain, 32)};
  if (is_deepseek(object)) return {deepseek(object, plain)};
  return {};
}

}  // namespace ropewalk::rope
