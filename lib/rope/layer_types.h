// Which type of attention each layer of a model has, by its number.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/config_fields.h"
#include "lib/rope/family_defaults.h"

namespace ropewalk::rope {

inline constexpr const char* full_attention = "full_attention";
inline constexpr const char* sliding_attention = "sliding_attention";

struct LayerTypes {
  std::vector<std::string> listed;  // of each layer; empty: they take turns, or nothing is known
  LayerTurns turns;
  i64 layers = 0;  // that take turns; 0: not known

  // 0: not known.
  i64 count() const { return listed.empty() ? layers : i64(listed.size()); }
  // Empty: not known, or there is no such layer.
  std::string of(i64 layer) const;
};

// Reads layer_types, hybrid_layer_pattern (MiMo: 1 is a window), sliding_window_pattern and
// global_attn_every_n_layers; where none of them is there, the turns are those of the model_type's class.
LayerTypes read_layer_types(const JsonCursor& object);

// What a list with a number above 0 for each layer says of the layers of a type. Throws UnknownFormula where these have
// several.
std::optional<FoundNumber> number_of_type(const JsonCursor& list, const LayerTypes& layers, const std::string& type);

// The layer that a tensor belongs to ("model.layers.5.self_attn..."); -1: its name says none.
i64 layer_in(const std::string& name);

}  // namespace ropewalk::rope
