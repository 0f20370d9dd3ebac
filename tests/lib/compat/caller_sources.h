// Callers as sources, written to a folder and checked as a whole.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/compat/check_compatibility.h"

namespace ropewalk::compat {

class CallerSources : public ::testing::Test {
 protected:
  using Files = std::vector<std::pair<std::string, std::string>>;  // path and text

  ~CallerSources() override { std::filesystem::remove_all(folder_); }

  void write(const Files& files) {
    std::filesystem::remove_all(folder_);
    for (const auto& [path, text] : files) {
      std::filesystem::create_directories((folder_ / path).parent_path());
      std::ofstream(folder_ / path) << text;
    }
  }
  Answer answer(const std::string& version, const Files& files, const std::string& asked = "") {
    write(files);
    const Provider provider = load_provider("flash-attn==" + version, "");
    return check_compatibility(*load_caller((folder_ / asked).string(), provider), provider);
  }
  // With these files as the provider.
  Answer answer_of(const Files& provided, const std::string& source, const std::string& version = "") {
    Files files = {{"caller/a.py", source}};
    for (const auto& [path, text] : provided) files.emplace_back("provider/" + path, text);
    write(files);
    const Provider provider = load_provider((folder_ / "provider").string(), version);
    return check_compatibility(*load_caller((folder_ / "caller/a.py").string(), provider), provider);
  }
  // "clean", "open" (nothing is wrong, and not all was judged), or the cause of the first finding.
  static std::string word_for(const Answer& answer) {
    for (const Finding& finding : answer.findings) {
      if (finding.severity != Severity::Note) return finding.cause->id;
    }
    return answer.not_judged.empty() ? "clean" : "open";
  }
  std::string verdict(const std::string& version, const Files& files) { return word_for(answer(version, files)); }
  std::string verdict(const std::string& version, const std::string& source) {
    return verdict(version, Files{{"a.py", source}});
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ropewalk_caller_" + std::to_string(getpid()));
};

}  // namespace ropewalk::compat
