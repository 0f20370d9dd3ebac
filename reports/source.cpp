#include "reports/source.h"

#include <filesystem>
#include <fstream>

namespace ropewalk::reports {
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

constexpr u64 neighbours = 2;
constexpr size_t longest_line = 400;  // bytes

class Gatherer {
 public:
  explicit Gatherer(const SourceLines& lines) : lines_(lines) {}

  void take(const std::string& file, u64 line, u64 around) {
    if (file.empty() || line == 0) return;
    for (u64 n = line > around ? line - around : 1; n <= line + around; ++n) {
      if (const auto known = sources_.find(file); known != sources_.end() && known->second.contains(n)) continue;
      std::optional<std::string> text = lines_(file, n);
      if (!text) continue;
      if (text->size() > longest_line) text->resize(longest_line);
      sources_[file][n] = std::move(*text);
    }
  }
  void take(const std::optional<FindingLocation>& location) {
    if (!location) return;
    take(location->file, location->line, neighbours);
    for (const SourcePosition& call : location->inlined) take(call.file, call.line, 0);
  }
  SourceExcerpts result() { return std::move(sources_); }

 private:
  const SourceLines& lines_;
  SourceExcerpts sources_;
};

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

SourceLines source_lines_of(const SourceExcerpts& sources) {
  return [sources](const std::string& file, u64 line) -> std::optional<std::string> {
    const auto lines = sources.find(file);
    if (lines == sources.end()) return std::nullopt;
    const auto text = lines->second.find(line);
    return text == lines->second.end() ? std::nullopt : std::optional(text->second);
  };
}

SourceExcerpts excerpts_for(const std::vector<Finding>& findings, const SourceLines& lines) {
  Gatherer gatherer(lines);
  for (const Finding& finding : findings) {
    gatherer.take(finding.location);
    gatherer.take(finding.other_location);
  }
  return gatherer.result();
}

}  // namespace ropewalk::reports
