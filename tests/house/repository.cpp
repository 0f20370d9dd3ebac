#include "tests/house/repository.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ropewalk::testing {
namespace {

namespace fs = std::filesystem;

const std::string root = ROPEWALK_SOURCE_DIR;

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::vector<std::string> walk() {
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name.starts_with(".git") || name.starts_with("build"))) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.push_back(fs::relative(entry->path(), root).string());
    }
  }
  return files;
}

}  // namespace

ProcessResult run_shell(const std::string& line) {
  const std::string command =
      "cd " + quoted(root) + " && PATH=" + quoted(ROPEWALK_BINARY_DIR "/bin") + ":\"$PATH\" && { " + line + "\n} 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("no shell");
  ProcessResult result;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.output.append(buffer, count);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

const std::vector<std::string>& repository_files() {
  static const std::vector<std::string> files = [] {
    const ProcessResult listed = run_shell("git ls-files --cached --others --exclude-standard");
    std::vector<std::string> paths = listed.exit_code == 0 ? lines_of(listed.output) : walk();
    std::erase_if(paths, [](const std::string& path) { return !fs::is_regular_file(fs::path(root) / path); });
    std::sort(paths.begin(), paths.end());
    return paths;
  }();
  return files;
}

std::string content_of(const std::string& path) {
  std::ifstream file(fs::path(root) / path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void replace_content(const std::string& path, const std::string& text) {
  std::ofstream(fs::path(root) / path, std::ios::binary) << text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace ropewalk::testing
