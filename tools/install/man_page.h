// The manual page of a program.
#pragma once
#include <string>

#include "tools/parse/words.h"

namespace ropewalk::tools {

// roff for man(7), section 1: every command with its options, as --help has them.
std::string man_page(const Program& program, const std::vector<CommandWords>& commands, const std::string& version);

}  // namespace ropewalk::tools
