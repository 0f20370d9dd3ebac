// Which handlers compute which instruction.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/machine/decode/bit_flow.h"
#include "lib/machine/handlers/form.h"

namespace ropewalk::machine {

// A form with what it does to single bits.
struct KnownForm : Form {
  BitFlow flow;
};

// By canonical opcode text ("add.ftz.f32"; see canonical_opcode).
using Table = std::unordered_map<std::string, KnownForm>;

// The table for the best instruction set that this processor has.
const Table& compute_table();
// Its name: "generic" (no more than the build allows everywhere), "v3" (AVX2, FMA) or "v4" (AVX-512).
std::string_view instruction_set_name();
// The instruction sets that are compiled in and that this processor has, the best first; "generic" is always there.
std::vector<std::string_view> instruction_set_names();
// The table of one of them.
Table table_of(std::string_view instruction_set);

// The text under which an opcode stands in the table: modifiers that do not change the result are left out and the
// others stand in a fixed order. "add.rn.f32" and "add.f32" are both "add.f32", "mad.rn.f32" and "fma.rn.f32" are
// "fma.f32".
std::string canonical_opcode(std::string_view text);

}  // namespace ropewalk::machine
