#include "tools/commands/run_hints.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/elf_file.h"

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

// body(text of the program's file); what it gives where there is none.
template <class Body>
auto of_file(const std::string& program, Body body) {
  const std::string path = file_of(program);
  try {
    return body(path, MappedFile(path).text());
  } catch (const InputError&) {
    return body(path, std::string_view());
  }
}

}  // namespace

std::string why_no_virtual_gpu(const std::string& program) {
  return of_file(program, [](const std::string& path, std::string_view text) -> std::string {
    // nvcc puts kernels into the section .nv_fatbin; a program names the shared libraries that it needs.
    const driver::ElfFile file(text);
    if (file.section_named(".nv_fatbin").empty() || text.find("libcudart.so") != std::string_view::npos) return "";
    if (!file.section_named(".symtab").empty()) {
      return path +
             " has NVIDIA's runtime inside, whose calls are redirected as it is loaded (LD_AUDIT; CUDA 12 or 13): it "
             "ended before, or was started in another environment";
    }
    return path + " has NVIDIA's runtime inside, which takes no other driver: do not strip it, or build it with nvcc " +
           "-cudart shared";
  });
}

bool needs_thread_sanitizer(const std::string& program) {
  return of_file(program, [](const std::string&, std::string_view text) {
    // Among the names of the libraries that it needs: the rest may be large.
    return driver::ElfFile(text).section_named(".dynstr").find("libtsan.so") != std::string_view::npos;
  });
}

}  // namespace ropewalk::tools
