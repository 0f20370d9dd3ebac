#include "lib/base/beside_program.h"

namespace ropewalk {

namespace files = std::filesystem;

files::path program_folder() {
  std::error_code error;
  return files::read_symlink("/proc/self/exe", error).parent_path();
}

files::path folder_beside_program(std::initializer_list<const char*> folders, const char* file) {
  std::error_code error;
  for (const char* const folder : folders) {
    const files::path path = (program_folder() / folder).lexically_normal();
    if (files::exists(path / file, error)) return path;
  }
  return {};
}

}  // namespace ropewalk
