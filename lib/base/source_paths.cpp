#include "lib/base/source_paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ropewalk {
namespace {

namespace fs = std::filesystem;

bool is_absolute(const std::string& path) { return !path.empty() && path.front() == '/'; }

std::string without_end_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// What of `path` follows the folder; empty where it does not lie in it.
std::string inside(const std::string& folder, const std::string& path) {
  if (folder.empty() || folder == "/" || path.size() <= folder.size() + 1) return "";
  return path.starts_with(folder) && path[folder.size()] == '/' ? path.substr(folder.size() + 1) : "";
}

std::string true_path(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : without_end_slash(found.string());
}

bool same_bytes(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
  std::ifstream one(a, std::ios::binary), other(b, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(one), {}, std::istreambuf_iterator<char>(other));
}

// Where the last folder of that name begins; npos: there is none.
size_t last_folder(const std::string& path, std::string_view name) {
  const size_t at = path.rfind("/" + std::string(name) + "/");
  return at == std::string::npos ? at : at + 1;
}

}  // namespace

std::string checkout_of(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::absolute(path, error).lexically_normal();
  if (error) return "";
  for (;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return without_end_slash(folder.string());
    if (folder == folder.parent_path()) return "";
  }
}

std::string travelling_name(const std::string& path) {
  for (const char* name : {"site-packages", "dist-packages"}) {
    if (const size_t at = last_folder(path, name); at != std::string::npos) {
      return "site-packages" + path.substr(path.find('/', at));
    }
  }
  if (!is_absolute(path)) return path;
  const size_t include = last_folder(path, "include");
  return path.substr(include == std::string::npos ? path.rfind('/') + 1 : include);
}

SourcePaths::SourcePaths(const std::string& root, Prefixes prefixes) : prefixes_(std::move(prefixes)) {
  std::error_code error;
  if (!root.empty()) root_ = without_end_slash(fs::absolute(root, error).lexically_normal().string());
  if (!root.empty()) true_root_ = true_path(root_);
  for (auto& [from, to] : prefixes_) from = without_end_slash(from), to = without_end_slash(to);
  std::stable_sort(prefixes_.begin(), prefixes_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string SourcePaths::of_source(const std::string& given) const {
  std::string path = given;
  const std::lock_guard lock(mutex_);
  has_absolute_paths_ |= is_absolute(path);
  for (const auto& [from, to] : prefixes_) {
    const std::string rest = inside(from, path);
    if (rest.empty() && path != from) continue;
    fitting_.insert(from);
    path = to.empty() || to == "." ? rest : rest.empty() ? to : to + "/" + rest;
    const std::string in_root = inside(root_, path);
    return in_root.empty() ? path : in_root;
  }
  if (!is_absolute(path) || root_.empty()) return path;
  const auto [known, is_new] = known_.try_emplace(path);
  if (is_new) known->second = relative_to_root(path);
  return known->second;
}

std::string SourcePaths::of_file(const std::string& path) const {
  if (is_absolute(path) || root_.empty()) return of_source(path);
  std::error_code error;
  const std::string reported = of_source((fs::current_path(error) / path).lexically_normal().string());
  return is_absolute(reported) ? path : reported;
}

std::string SourcePaths::relative_to_root(const std::string& given) const {
  const std::string path = fs::path(given).lexically_normal().string();
  if (const std::string rest = inside(root_, path); !rest.empty()) return rest;
  // A folder on the way may be a link.
  if (const std::string rest = inside(true_root_, true_path(path)); !rest.empty()) return rest;
  const std::string rest = taken_for_ours(path);
  return rest.empty() ? path : rest;
}

std::string SourcePaths::taken_for_ours(const std::string& path) const {
  if (travelling_name(path).find('/') != std::string::npos) return "";  // of a package or a toolkit
  std::error_code error;
  const bool is_there = fs::is_regular_file(path, error);
  for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string end = path.substr(at + 1), here = root_ + "/" + end;
    if (!fs::is_regular_file(here, error)) continue;
    const std::string checkout = path.substr(0, at);
    if (is_there && !same_bytes(path, here)) continue;
    if (std::find(other_checkouts_.begin(), other_checkouts_.end(), checkout) == other_checkouts_.end())
      other_checkouts_.push_back(checkout);
    return end;
  }
  return "";
}

std::vector<std::string> SourcePaths::other_checkouts() const {
  const std::lock_guard lock(mutex_);
  return other_checkouts_;
}

std::vector<std::string> SourcePaths::prefixes_without_paths() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [from, to] : prefixes_) {
    if (has_absolute_paths_ && !fitting_.contains(from)) out.push_back(from);
  }
  return out;
}

}  // namespace ropewalk
