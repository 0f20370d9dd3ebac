#include "lib/rope/own_formats.h"

#include <gtest/gtest.h>

#include "lib/rope/words.h"
#include "tests/lib/rope/frequency_dump.h"

namespace ropewalk::rope::testing {
namespace {

RopeConfig::Entry first_entry(const std::string& text) {
  return read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json")).entries.front();
}

// The outcome for the entry's own frequencies, and for those without scaling.
void expect_scaling(const std::string& config, const std::string& words, const std::string& of_plain) {
  const RopeConfig::Entry entry = first_entry(config);
  EXPECT_TRUE(entry.sure);
  EXPECT_EQ(in_words(entry.formula), words);
  EXPECT_EQ(outcome(judge_frequencies(config, {{"rope", float_frequencies({entry.formula, 64})}})), "clean");
  for (const RopeFormula& also : entry.also)
    EXPECT_EQ(outcome(judge_frequencies(config, {{"rope", float_frequencies({also, 64})}})), "clean");
  const RopeFormula& formula = entry.formula;
  EXPECT_EQ(outcome(judge_frequencies(config, {{"rope", series(formula.rotary_dim, formula.theta)}})), of_plain);
}

TEST(OwnFormats, GptOss) {
  const std::string fields = R"({"hidden_size": 2880, "head_dim": 64, "num_attention_heads": 64,
    "initial_context_length": 4096, "rope_theta": 150000, "rope_ntk_alpha": 1, "rope_ntk_beta": 32)";
  expect_scaling(fields + R"(, "rope_scaling_factor": 32.0})",
                 "yarn rope: theta 150000, 32 pairs, factor 32 (original length 4096, beta 32 to 1, ramp over pairs "
                 "8.093 to 17.4, not truncated), cos and sin times 1.34657",
                 "scaling-missing");
  expect_scaling(fields + R"(, "rope_scaling_factor": 1.0})", "default rope: theta 150000, 32 pairs", "clean");
}

// 8 of Llama 3.1, 32 of Llama 3.2.
TEST(OwnFormats, Llama) {
  const std::string fields = R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "rope_theta": 500000.0)";
  const std::string scaled = fields + R"(, "use_scaled_rope": true})";
  expect_scaling(scaled, "llama3 rope: theta 500000, 64 pairs, factor 8 (low 1, high 4, original length 8192)",
                 "scaling-missing");
  EXPECT_EQ(first_entry(scaled).also.size(), 1u);
  expect_scaling(fields + R"(, "use_scaled_rope": false})", "default rope: theta 500000, 64 pairs", "clean");
}

TEST(OwnFormats, DeepSeek) {
  const std::string fields = R"({"dim": 7168, "n_layers": 61, "n_heads": 128, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "mscale": 1.0)";
  expect_scaling(fields + "}",
                 "yarn rope: theta 10000, 32 pairs, factor 40 (original length 4096, beta 32 to 1, ramp over pairs 10 "
                 "to 23)",
                 "scaling-missing");
  expect_scaling(fields + R"(, "max_seq_len": 4096})", "default rope: theta 10000, 32 pairs", "clean");
}

}  // namespace
}  // namespace ropewalk::rope::testing
