#include "lib/trace/find_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/base/mapped_file.h"
#include "lib/ptx/read.h"

namespace ropewalk::trace {

namespace {

namespace files = std::filesystem;

constexpr u64 most_files = 100000;

std::string triton_cache() {
  if (const char* given = std::getenv("TRITON_CACHE_DIR"); given && *given) return given;
  const char* home = std::getenv("HOME");
  return home ? std::string(home) + "/.triton/cache" : "";
}

bool mentions_entry(const std::string& path, const std::string& kernel) {
  const MappedFile file(path);
  for (size_t at = 0; (at = file.text().find(".entry", at)) != std::string_view::npos;) {
    at = file.text().find_first_not_of(" \t\r\n", at + 6);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = file.text().substr(at);
    if (rest.starts_with(kernel) && rest.find_first_of("( \t\r\n") == kernel.size()) return true;
  }
  return false;
}

FoundPtx read_ptx(const std::string& path, const std::string& from) {
  return {std::make_shared<ptx::Module>(ptx::read_file(path)), from};
}

}  // namespace

PtxFinder::PtxFinder(std::string records, std::vector<std::string> folders)
    : records_(std::move(records)), folders_(std::move(folders)) {
  folders_.push_back(triton_cache());
}

void PtxFinder::list() {
  is_listed_ = true;
  for (const std::string& folder : folders_) {
    std::error_code error;
    files::recursive_directory_iterator at(folder, files::directory_options::skip_permission_denied, error), end;
    for (u64 count = 0; !error && at != end && count < most_files; at.increment(error), ++count) {
      if (at->path().extension() == ".ptx") ptx_.push_back(at->path().string());
      if (at->path().extension() == ".cubin") cubins_.push_back(at->path().string());
    }
  }
  std::sort(ptx_.begin(), ptx_.end());
  std::sort(cubins_.begin(), cubins_.end());
}

std::string PtxFinder::beside_cubin(u64 bytes, u64 hash) {
  if (!is_listed_) list();
  for (const std::string& cubin : cubins_) {
    files::path path(cubin);
    std::error_code error;
    if (files::file_size(path, error) != bytes || hash_of(MappedFile(cubin).text()) != hash) continue;
    path.replace_extension(".ptx");
    if (files::exists(path, error)) return path.string();
  }
  return "";
}

FoundPtx PtxFinder::search(const TracedLaunch& launch) {
  const TracedImage& image = launch.image;
  if (!image.file.empty()) return read_ptx(records_ + "/" + image.file, "the module that the program loaded");
  if (!is_listed_) list();
  if (image.kind == "cubin" && image.hash) {
    const std::string path = beside_cubin(image.bytes, image.hash);
    if (!path.empty()) return read_ptx(path, path + ", beside the cubin that was loaded");
  }
  std::vector<std::string> having;
  std::string first_text;
  for (const std::string& path : ptx_) {
    if (!mentions_entry(path, launch.kernel)) continue;
    const MappedFile file(path);
    if (having.empty()) first_text = file.text();
    if (having.empty() || file.text() != first_text) having.push_back(path);
  }
  if (having.size() == 1) return read_ptx(having[0], having[0] + ", by the kernel's name");
  if (having.size() > 1) {
    return {nullptr, fmt::format("{} different texts have a kernel {}, such as {} and {}", having.size(), launch.kernel,
                                 having[0], having[1])};
  }
  return {nullptr, "there is no PTX of it in the modules that were loaded; --ptx names a folder with it"};
}

FoundPtx PtxFinder::find(const TracedLaunch& launch) {
  if (launch.kind == "graph") return {nullptr, "a graph's kernels are not known"};
  try {
    return search(launch);
  } catch (const InputError& error) {
    return {nullptr, error.what()};
  }
}

}  // namespace ropewalk::trace
