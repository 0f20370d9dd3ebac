#include "tools/commands/run_hints.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"

namespace ropewalk::tools {
namespace {

namespace files = std::filesystem;

std::string file_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    const files::path file = files::path(folder.empty() ? "." : folder) / program;
    if (files::is_regular_file(file, error)) return file.string();
  }
  return program;
}

}  // namespace

std::string why_no_virtual_gpu(const std::string& program) {
  const std::string path = file_of(program);
  try {
    const MappedFile file(path);
    const std::string_view text = file.text();
    const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
    // nvcc puts kernels into the section .nv_fatbin; a program names the shared libraries that it needs.
    if (!text.starts_with("\x7f"
                          "ELF") ||
        !has(".nv_fatbin") || has("libcudart.so"))
      return "";
    return path +
           " has NVIDIA's runtime inside, which takes no other driver: build it with CUDA 12 or 13 and do not strip "
           "it, "
           "or build it with nvcc -cudart shared";
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace ropewalk::tools
