// Writes what is installed beside the programs: manual pages and completions. Usage: write_install_files FOLDER
#include <cstdio>
#include <exception>
#include <filesystem>

#include "lib/base/mapped_file.h"
#include "tools/install/completions.h"
#include "tools/install/man_page.h"

namespace ropewalk::tools {
namespace {

void write_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const Program* program : {&rope_check_program, &attn_fuzz_program}) {
    const std::vector<CommandWords> commands = command_words(*program);
    const std::string& name = program->name;
    write_file((folder / (name + ".1")).string(), man_page(*program, commands, ROPEWALK_VERSION));
    write_file((folder / name).string(), bash_completion(*program, commands));
    write_file((folder / ("_" + name)).string(), zsh_completion(*program, commands));
    write_file((folder / (name + ".fish")).string(), fish_completion(*program, commands));
  }
}

}  // namespace
}  // namespace ropewalk::tools

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: write_install_files FOLDER\n");
    return 2;
  }
  try {
    ropewalk::tools::write_all(words[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_install_files: %s\n", error.what());
    return 2;
  }
  return 0;
}
