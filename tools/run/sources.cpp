#include "tools/run/sources.h"

#include <fmt/format.h>

#include <filesystem>

namespace ropewalk::tools {
namespace {

// The file that says what is checked; nullopt: the command has no sources of others.
std::optional<std::string> checked_file(const Command& command) {
  if (const auto* launch = std::get_if<LaunchOptions>(&command)) {
    return launch->files.front() == "-" ? std::string(".") : launch->files.front();
  }
  if (std::holds_alternative<RunRequest>(command)) return ".";
  if (const auto* init = std::get_if<InitOptions>(&command)) return init->file;
  return std::nullopt;
}

}  // namespace

void settle_root(Request& request) {
  SharedOptions& shared = request.shared;
  const std::optional<std::string> file = checked_file(request.command);
  if (!file || !shared.root.empty()) return;
  shared.root = checkout_of(*file);
  if (shared.root.empty()) shared.root = checkout_of(".");
  std::error_code error;
  if (shared.root.empty()) shared.root = std::filesystem::current_path(error).string();
}

SourcePaths source_paths_of(const SharedOptions& shared) { return SourcePaths(shared.root, shared.maps); }

SourceLines source_lines_of(const SharedOptions& shared) {
  const SourceLines plain = reports::source_lines_from({ROPEWALK_SOURCE_DIR});
  return
      [plain, root = shared.root, maps = shared.maps](const std::string& file, u64 line) -> std::optional<std::string> {
        if (!root.empty() && !std::filesystem::path(file).is_absolute()) {
          if (auto text = plain(root + "/" + file, line)) return text;
        }
        if (auto text = plain(file, line)) return text;
        const SourcePaths back("", [&] {
          SourcePaths::Prefixes prefixes;
          for (const auto& [from, to] : maps) prefixes.emplace_back(to, from);
          return prefixes;
        }());
        const std::string before = back.of_source(file);
        return before == file ? std::nullopt : plain(before, line);
      };
}

std::vector<std::string> notes_of(const SourcePaths& paths) {
  std::vector<std::string> notes;
  for (const std::string& checkout : paths.other_checkouts()) {
    notes.push_back("sources in " + checkout + " are taken for those of " + paths.root() +
                    ", which has the same files; --map says otherwise");
  }
  for (const std::string& from : paths.prefixes_without_paths())
    notes.push_back(fmt::format("--map {}=...: no source's path begins with {}", from, from));
  return notes;
}

}  // namespace ropewalk::tools
