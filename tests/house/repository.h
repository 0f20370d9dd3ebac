// The files of the repository, for tests about the house itself.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk::testing {

// Paths from the root: what git knows of, or where this is no clone, every file outside hidden and build folders.
const std::vector<std::string>& repository_files();

// The whole file; path from the root.
std::string content_of(const std::string& path);
void replace_content(const std::string& path, const std::string& text);

std::vector<std::string> lines_of(std::string_view text);

struct ProcessResult {
  int exit_code = -1;
  std::string output;  // standard output and error together
};
// Runs a line of shell in the root, the built programs first in PATH.
ProcessResult run_shell(const std::string& line);

}  // namespace ropewalk::testing
