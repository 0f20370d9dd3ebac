// What completes a program's commands and options in a shell.
#pragma once
#include <string>

#include "tools/parse/words.h"

namespace ropewalk::tools {

// Each is the text of one file. Options are completed with their help where the shell shows one; other words are files.
std::string bash_completion(const Program& program, const std::vector<CommandWords>& commands);
std::string zsh_completion(const Program& program, const std::vector<CommandWords>& commands);
std::string fish_completion(const Program& program, const std::vector<CommandWords>& commands);

}  // namespace ropewalk::tools
