// Configurations of models' own programs, which have fields, and values without fields, that transformers has not.
#pragma once
#include <vector>

#include "lib/base/json.h"
#include "lib/problem/rope_formula.h"

namespace ropewalk::rope {

// Whether the object is one of them: its formula is then known, theta too.
bool has_own_format(const JsonCursor& object);

// The formulas that it stands for, of a formula with its widths and its base; none where it has no format of its own.
//   gpt-oss (openai/gpt-oss, torch/model.py): rope_scaling_factor, rope_ntk_alpha, rope_ntk_beta and
//     initial_context_length make yarn with borders that are no whole numbers.
//   Llama (meta-llama/llama-models, params.json): use_scaled_rope stands for llama3 with 1, 4 and 8192 and the factor
//   8,
//     or 32 in Llama 3.2.
//   DeepSeek (deepseek-ai/DeepSeek-V3, inference/model.py): yarn by rope_factor (40), original_seq_len (4096),
//     beta_fast (32) and beta_slow (1); mscale goes into the softmax.
std::vector<RopeFormula> formulas_of_own_format(const JsonCursor& object, const RopeFormula& plain);

}  // namespace ropewalk::rope
