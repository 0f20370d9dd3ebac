// What a family's program takes for fields that its configuration does not say.
#pragma once
#include <optional>
#include <string>

#include "lib/base/types.h"

namespace ropewalk::rope {

// The defaults of a model_type's configuration class in transformers (chatglm: in the program that came with the
// model). A model_type that is not in the list has none: its table is then judged only where the fields say that there
// is a rope.
struct FamilyDefaults {
  double theta = 10000;
  i64 head_dim = 0;     // 0: hidden_size / num_attention_heads
  double partial = 1;   // the part of the head that is rotated
  bool scaled = false;  // without rope fields there is a scaling, which is not known here
};
std::optional<FamilyDefaults> family_defaults(const std::string& model_type);

}  // namespace ropewalk::rope
