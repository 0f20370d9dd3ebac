// Nothing in the repository knows the machine it was written on.
#include <gtest/gtest.h>

#include <regex>

#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

bool is_text(const std::string& content) { return content.find('\0') == std::string::npos; }

TEST(Traces, NoPathOfAMachineAndNoRegistryHost) {
  // In pieces, so that this file does not find itself.
  const std::regex path(
      "/(wo"
      "rk|ro"
      "ot|ho"
      "me/[a-z]+|Use"
      "rs/[a-z]+)/");
  const std::regex host(
      "https?://[^ \"'/]*(regis"
      "try|prox"
      "y|mirr"
      "or|artif"
      "act|py"
      "pi\\.|index\\.)[^ ]*");
  for (const std::string& file : repository_files()) {
    const std::string content = content_of(file);
    if (!is_text(content)) continue;
    const std::vector<std::string> lines = lines_of(content);
    for (size_t n = 0; n < lines.size(); ++n) {
      std::smatch match;
      // Lines of data are long and std::regex recurses; a path stands in the first part of a line or not at all.
      const std::string line = lines[n].substr(0, 2000);
      EXPECT_FALSE(std::regex_search(line, match, path)) << file << ":" << n + 1 << ": " << match.str();
      EXPECT_FALSE(std::regex_search(line, match, host)) << file << ":" << n + 1 << ": " << match.str();
    }
  }
}

TEST(Traces, NoUnfinishedBusiness) {
  const std::regex words(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  for (const std::string& file : repository_files()) {
    if (file == "LICENSE") continue;
    const std::string content = content_of(file);
    if (!is_text(content)) continue;
    const std::vector<std::string> lines = lines_of(content);
    for (size_t n = 0; n < lines.size(); ++n) {
      std::smatch match;
      const std::string line = lines[n].substr(0, 2000);
      EXPECT_FALSE(std::regex_search(line, match, words)) << file << ":" << n + 1 << ": " << match.str();
    }
  }
}

TEST(Traces, SourceFilesStaySmall) {
  for (const std::string& file : repository_files()) {
    if (!file.ends_with(".h") && !file.ends_with(".cpp") && !file.ends_with(".cu") && !file.ends_with(".cuh")) continue;
    EXPECT_LE(lines_of(content_of(file)).size(), 500u) << file;
  }
}

}  // namespace
}  // namespace ropewalk::testing
