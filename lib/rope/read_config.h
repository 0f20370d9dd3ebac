// The rope fields of a Hugging Face config.json, in the old form and the new one.
#pragma once
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/problem/rope_formula.h"

namespace ropewalk {

// What a configuration says of its rope caches: one formula, or one for each type of layer.
struct RopeConfig {
  struct Entry {
    std::string layer_type;  // "sliding_attention"; empty where all layers have the same
    RopeFormula formula;
  };
  std::vector<Entry> entries;  // at least one
};

// Reads rope_parameters (also one for each layer type), rope_theta and rope_scaling with "type" or "rope_type",
// rotary_pct and rotary_emb_base, partial_rotary_factor, rotary_dim, rope_local_base_freq, and the lengths. A missing
// theta is 10000, and head_dim beats hidden_size / heads. Where the root has a text_config, that one is meant. Throws
// InputError that names the field: an unknown key inside the rope fields, two that contradict each other, a value that
// cannot be. A vision tower with axial rope in vision_config has an entry "visual" of its own.
RopeConfig read_rope_config(const JsonCursor& root);
RopeConfig read_rope_config_file(const std::string& path);

}  // namespace ropewalk
