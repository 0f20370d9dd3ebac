#include "lib/base/beside_program.h"

#include <glob.h>

#include <cstring>
#include <string>
#include <vector>

namespace ropewalk {

namespace files = std::filesystem;

files::path program_folder() {
  std::error_code error;
  return files::read_symlink("/proc/self/exe", error).parent_path();
}

files::path folder_beside_program(std::initializer_list<const char*> folders, const char* file) {
  // A wheel's libraries lie in its Python package: in an environment, or (pip install --target) beside the programs'
  // folder.
  std::vector<const char*> patterns(folders);
  patterns.insert(patterns.end(), {"../lib*/python3*/*-packages/ropewalk/lib", "../ropewalk/lib"});
  std::string here;  // in which nothing is a pattern
  for (const char c : program_folder().string())
    here += std::strchr("*?[\\", c) ? std::string{'\\', c} : std::string{c};
  for (const char* const pattern : patterns) {
    glob_t found{};
    const bool any = glob((here + "/" + pattern + "/" + file).c_str(), 0, nullptr, &found) == 0;
    const files::path path = any ? files::path(found.gl_pathv[0]).parent_path().lexically_normal() : files::path();
    globfree(&found);
    if (any) return path;
  }
  return {};
}

}  // namespace ropewalk
