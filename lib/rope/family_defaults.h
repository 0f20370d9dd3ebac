// What a family's program takes for fields that its configuration does not say.
#pragma once
#include <optional>
#include <string>

#include "lib/base/types.h"

namespace ropewalk::rope {

// Of layers that take turns every n-th attends to everything, the others to a window.
struct LayerTurns {
  i64 every = 0;            // 0: not known
  bool full_first = false;  // the first of n is the one; else the last
};

// The defaults of a model_type's configuration class. A model_type that is not in the list has none: what its fields do
// not say is then assumed.
struct FamilyDefaults {
  double theta = 10000;    // 0: not known
  i64 head_dim = 0;        // 0: hidden_size / num_attention_heads
  i64 head_times = 1;      // that, so many times
  double partial = 1;      // the part of the head that is rotated
  i64 rotary_dim = 0;      // 0: that part of the head
  i64 width = 0;           // hidden_size; 0: not known
  i64 heads = 0;           // num_attention_heads; 0: not known
  bool scaled = false;     // without rope fields there is a scaling, which is not known here
  bool by_type = false;    // layers with a window have a formula of their own, which no rope_scaling changes
  double local_theta = 0;  // of layers with a window; 0: that of the others
  LayerTurns turns = {};   // where no layer_types are written
};
std::optional<FamilyDefaults> family_defaults(const std::string& model_type);

}  // namespace ropewalk::rope
