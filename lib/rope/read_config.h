// The rope fields of a Hugging Face config.json, in the old form and the new one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/base/json.h"
#include "lib/problem/rope_formula.h"
#include "lib/rope/image_grid.h"
#include "lib/rope/layer_types.h"

namespace ropewalk::rope {

// What a configuration says of its rope caches: a formula for the model, or one for each type of layer, and those of
// the towers beside it.
struct RopeConfig {
  struct Entry {
    std::string layer_type;  // "sliding_attention"; empty where all layers have the same
    RopeFormula formula;
    std::string part;               // "vision", "audio", of an object inside the configuration; empty: the model itself
    std::vector<RopeFormula> also;  // other formulas that the same fields stand for, where they do not say which
    // False: the fields leave open whether this is the formula. A table that differs from it is unknown, not wrong.
    bool sure = true;
    std::optional<ImageGrid> image;  // whose cells are the rows, in what the model_type's own program makes
    i64 model_width = 0;             // hidden_size; 0: not given
    bool theta_said = false;         // by a field, or by the defaults of the model_type
    bool width_said = true;          // false: that all of the head is rotated is assumed
    LayerTypes layers = {};          // the numbers of those that have `layer_type`
  };
  std::vector<Entry> entries;      // those of the model first
  std::vector<std::string> notes;  // parts that have rope, but no formula that is known here
  bool complete = true;            // every model inside the configuration says the widths of its heads
  std::string family;              // model_type; empty: not given
  std::optional<Dtype> dtype;      // that the model computes in; empty: not given
  i64 asked_rows = 0;              // that tables should have, in place of the model's positions; 0: nobody asked
};

// Reads rope_parameters (also one for each layer type), rope_theta and rope_scaling with "type" or "rope_type",
// rotary_pct and rotary_emb_base, partial_rotary_factor, rotary_dim, rope_local_base_freq, and the lengths; also a list
// of them, one for each layer, and what models' own programs write (own_formats.h). A field that is missing has the
// default of the model_type's class; where that is not known it is assumed: theta 10000, and the whole head is rotated.
// head_dim beats hidden_size / heads. Where the root says nothing of heads, its text_config is the model; each other
// object "..._config" with heads is a part of its own. Throws InputError that names the field: a key inside the model's
// rope fields that is a known one mistyped, two that contradict each other, a value that cannot be. What a part says
// wrongly becomes a note, and so does a key that is not known.
RopeConfig read_rope_config(const JsonCursor& root);
RopeConfig read_rope_config_file(const std::string& path);

}  // namespace ropewalk::rope
