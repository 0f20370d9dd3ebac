// What the forms do with single bits.
#pragma once
#include <string_view>

#include "lib/ptx/bit_flow.h"

namespace ropewalk::machine {

using ptx::BitFlow;

// Of the form with this key of the table (canonical opcode, or a name with %). What is not known here is Whole, which
// is never too little.
BitFlow bit_flow_of(std::string_view key);

}  // namespace ropewalk::machine
