#include "reports/source.h"

#include <filesystem>
#include <fstream>

namespace ropewalk {
namespace {

std::optional<std::string> line_of_file(const std::filesystem::path& path, u64 line) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path);
  std::string text;
  for (u64 n = 0; n < line; ++n) {
    if (!std::getline(file, text)) return std::nullopt;
  }
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

}  // namespace

SourceLines source_lines_from(std::vector<std::string> folders) {
  return [folders = std::move(folders)](const std::string& file, u64 line) -> std::optional<std::string> {
    if (file.empty() || line == 0) return std::nullopt;
    if (const auto text = line_of_file(file, line)) return text;
    if (std::filesystem::path(file).is_absolute()) return std::nullopt;
    for (const std::string& folder : folders) {
      if (const auto text = line_of_file(std::filesystem::path(folder) / file, line)) return text;
    }
    return std::nullopt;
  };
}

}  // namespace ropewalk
