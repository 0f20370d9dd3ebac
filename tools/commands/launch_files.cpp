#include "tools/commands/launch_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"

namespace ropewalk::tools {
namespace {

namespace fs = std::filesystem;

// What cannot be read may be meant as a launch: whoever reads it says what is wrong.
bool may_be_launch(const std::string& path) {
  try {
    const Json json = parse_json(MappedFile(path).text(), path);
    const auto schema = json.is_object() ? json.find("schema") : json.end();
    return schema != json.end() && schema->is_string() && schema->get<std::string>().starts_with("ropewalk.launch/");
  } catch (const InputError&) {
    return true;
  }
}

void add_folder(const std::string& folder, NamedLaunches& launches) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".json" && !at->is_directory()) paths.push_back(at->path().string());
  }
  if (error) throw InputError(InputLocation{folder}, "cannot read this folder: " + error.message());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> others;
  const size_t before = launches.files.size();
  for (const std::string& path : paths) {
    if (may_be_launch(path)) {
      launches.files.push_back(path);
    } else {
      others.push_back(fs::path(path).filename().string());
    }
  }
  if (launches.files.size() == before) {
    throw InputError(InputLocation{folder},
                     "there is no launch file in this folder: no .json with the schema ropewalk.launch/1");
  }
  if (!others.empty()) {
    launches.notes.push_back(fmt::format("{}: passed over, no launch files: {}", folder, fmt::join(others, ", ")));
  }
}

}  // namespace

NamedLaunches named_launches(const std::vector<std::string>& words) {
  if (std::count(words.begin(), words.end(), "-") > 1) throw InputError("launch: - (standard input) is given twice");
  NamedLaunches launches;
  for (const std::string& word : words) {
    std::error_code error;
    if (word != "-" && fs::is_directory(word, error)) {
      add_folder(word, launches);
    } else {
      launches.files.push_back(word);
    }
  }
  return launches;
}

std::string standard_input() {
  std::string text;
  char part[1 << 16];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw InputError(InputLocation{"-"}, std::string("cannot read standard input: ") + std::strerror(errno));
    if (count == 0) return text;
    text.append(part, size_t(count));
  }
}

}  // namespace ropewalk::tools
