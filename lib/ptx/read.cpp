#include "lib/ptx/read.h"

#include "lib/base/mapped_file.h"
#include "lib/ptx/read_module.h"

namespace ropewalk::ptx {

Module read(std::string_view text, const std::string& path) { return read_module(text, path); }

Module read_file(const std::string& path) {
  const MappedFile file(path);
  return read_module(file.text(), path);
}

}  // namespace ropewalk::ptx
