// Which launch files a command line names.
#pragma once
#include <string>
#include <vector>

namespace ropewalk::tools {

struct NamedLaunches {
  std::vector<std::string> files;  // "-" is standard input
  std::vector<std::string> notes;  // JSON files of folders that are no launch files
};

// Files stay as they are named; a folder stands for the launch files in it, in the order of their names: those that end
// in .json, but for JSON whose "schema" is not that of a launch. A file of it that cannot be read is among them. Throws
// InputError where a folder has none or cannot be read, or standard input is named twice.
NamedLaunches named_launches(const std::vector<std::string>& words);

// All of standard input.
std::string standard_input();

}  // namespace ropewalk::tools
