// What the parts of the reader share; inside of lib/ptx only.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ptx/debug_names.h"
#include "lib/ptx/lexer.h"
#include "lib/ptx/module.h"
#include "lib/ptx/name_table.h"

namespace ropewalk::ptx {

// The state of reading one module.
struct ReadState {
  ReadState(std::string_view text, const std::string& path) : lexer(text, path) { module.path = path; }

  Lexer lexer;
  Module module;
  NameTable names;                     // of the module: number / 2 is the index, odd for variables, even for functions
  NameTable opcodes;                   // number: index into Module::opcodes
  std::vector<u32> local_base;         // by function: the number that its first variable was given
  std::vector<LocationNames> inlined;  // by function
  std::vector<std::pair<std::string, Mark>> initialiser_symbols;
  std::deque<std::string> spaced_opcodes;  // opcodes that the text has with space inside
  u64 initial_bytes = 0;                   // of all initialisers
  u32 largest_file = 0;                    // that a .loc names

  static u32 function_number(u64 index) { return u32(2 * index); }
  static u32 variable_number(u64 index) { return u32(2 * index + 1); }
};

// What stands between the linkage and the names of a declaration: ".shared .align 16 .b8" and the like, the space
// directive being read already. The result has no name yet.
Variable read_variable_kind(ReadState& state, Space space, const std::string& linkage);
// A name with its extents and, where `may_initialise`, its initialiser.
Variable read_variable_name(ReadState& state, Variable kind, bool may_initialise, Mark* mark);
// "16" behind ".align".
u32 read_alignment(Lexer& lexer);
// A type directive such as ".b32"; fails where none comes.
Type read_type(Lexer& lexer);
// The space that a directive names; false where it names none.
bool space_named(std::string_view directive, Space* space);
// "entry" or "func" was read: the rest of the declaration or definition.
void read_function(ReadState& state, bool is_entry, const std::string& linkage);

}  // namespace ropewalk::ptx
