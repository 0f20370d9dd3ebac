// How the columns of cos and sin are repeated in the published programs of a family of models.
#pragma once
#include <optional>
#include <string>

#include "lib/rope/table.h"

namespace ropewalk::rope {

// RepeatedHalf or RepeatedPairs for a model_type whose own program makes such tables; nullopt for others. The list was
// read off the tables that transformers' modules give (tests/long/rotary_modules.py).
std::optional<ColumnLayout> family_layout(const std::string& model_type);

// Whether the model_type's own program keeps [sin | cos] in one row, in a tensor called embed_positions.
bool puts_sin_first(const std::string& model_type);

// Whether the columns of the family's image tower begin with the axis that its position_ids begin with, height. Others
// may begin with width.
bool puts_height_first(const std::string& model_type);
// Whether the model's inv_freq is only registered: ChatGLM's forward computes frequencies again, with rope_ratio
// (modeling_chatglm.py of chatglm2-6b, chatglm3-6b and glm-4-9b: RotaryEmbedding.forward_impl).
bool is_frequency_buffer_unused(const std::string& model_type);

}  // namespace ropewalk::rope
