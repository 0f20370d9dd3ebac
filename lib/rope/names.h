// What the names of tensors say.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::rope {

enum class Role : u8 { Unknown, Cos, Sin, Both, Complex, Frequencies };

// The words of a name: "model.layers.0.rotary_emb._cos_cached" has "model", "layers", "rotary", "emb", "cos", "cached".
std::vector<std::string> words_of(const std::string& name);
Role role_of(const std::string& name);
// Whether a tensor's own name, without its module's, says that it is a table: "cache", or a name by itself.
bool names_a_table(const std::string& name);
// Whether the whole name, with its module's, speaks of rope.
bool speaks_of_rope(const std::string& name);
// Which of longrope's two sets a tensor's own name says: true: "long", false: "short"; nullopt: neither, or both.
std::optional<bool> set_in(const std::string& name);
// The name without what tells cos from sin, so that the two of a module meet.
std::string module_of(const std::string& name);

}  // namespace ropewalk::rope
