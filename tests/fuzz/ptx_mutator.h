// Changes PTX text by its tokens, so that most of what comes out still looks like PTX.
#pragma once
#include <string>
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk {

// `text` after one to four changes, drawn from `seed`: a type, modifier, opcode, operand or number becomes another one
// (of PTX, of the text itself, or none that there is), tokens and lines are left out, doubled or swapped, lines of
// `other` are put in between.
std::string mutated_ptx(std::string_view text, std::string_view other, u64 seed);

}  // namespace ropewalk
