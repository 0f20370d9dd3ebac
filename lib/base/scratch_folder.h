// A folder for files that nobody keeps.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include "lib/base/error.h"

namespace ropewalk {

// A new folder in the system's place for such files, there as long as this is. Throws InputError where none can be
// made.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    path_ = (std::filesystem::temp_directory_path() / ("ropewalk-" + name + "-XXXXXX")).string();
    if (!mkdtemp(path_.data())) throw InputError(name + ": no folder can be made at " + path_);
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ropewalk
