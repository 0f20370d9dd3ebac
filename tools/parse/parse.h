// The command line to a request.
#pragma once
#include <string>
#include <vector>

#include "tools/options/request.h"

namespace ropewalk::tools {

// `arguments` without the program's name. Throws InputError, one line that names the option and, where it is unknown,
// the nearest known one.
Request parse_command_line(const std::vector<std::string>& arguments, const Program& program = rope_check_program);

// The arguments as one line that a POSIX shell splits again into the same words, after the program's name.
std::string quoted_line(const std::string& program, const std::vector<std::string>& arguments);

// Such a line without the options that say where findings go and which of them fail: what is found stays the same.
std::string check_line(const std::string& line);

// The words of such a line, the program's name first.
std::vector<std::string> split_line(const std::string& line);

}  // namespace ropewalk::tools
