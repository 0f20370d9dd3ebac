// The width of a head and of its rotated part, as a configuration says them under many names.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/config_fields.h"

namespace ropewalk::rope {

struct RopeWidth {
  i64 head_dim = 0, rotary_dim = 0;
  bool sure = true;  // false: another width may be meant
  bool said = true;  // false: that all of the head is rotated is assumed

  bool operator==(const RopeWidth&) const = default;
};

// Whether the object, or its model_type, says anything that a width can be read from.
bool has_widths(const JsonCursor& object);

// The width of the model's hidden states; 0: the object does not say it.
i64 model_width(const JsonCursor& object);

// The widths of an object with `parameters` of its rope (null: none), of layers of a type ("": all); the one that is
// most likely meant first. Throws UnknownFormula for widths of 0 or that are odd, InputError for contradictions.
std::vector<RopeWidth> read_widths(const JsonCursor& object, const JsonCursor* parameters,
                                   const std::string& layer_type);

}  // namespace ropewalk::rope
