// A folder has a namespace of its own, by which others name what is in it. The folders of the words that all of them
// share have `ropewalk` itself.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

const std::set<std::string> shared = {"lib/base",    "lib/tensor", "lib/problem",
                                      "lib/finding", "lib/launch", "lib/family"};

// The namespace of a source file by its path; empty where none is asked for.
std::string namespace_of(const std::string& path) {
  static const std::regex pattern("(?:lib/families/|lib/|(?=(?:reference|kernels|reports|tools)/))(\\w+)/.*");
  std::smatch match;
  if (!std::regex_match(path, match, pattern)) return "";
  return shared.contains("lib/" + match[1].str()) ? "ropewalk" : "ropewalk::" + match[1].str();
}

TEST(Namespaces, AreThoseOfTheirFolders) {
  static const std::regex opening("namespace (ropewalk[\\w:]*) \\{.*");
  size_t opened = 0;
  for (const std::string& path : repository_files()) {
    const std::string expected = namespace_of(path);
    if (expected.empty() || !(path.ends_with(".h") || path.ends_with(".cpp"))) continue;
    const std::vector<std::string> lines = lines_of(content_of(path));
    for (size_t n = 0; n < lines.size(); ++n) {
      std::smatch match;
      if (!std::regex_match(lines[n], match, opening)) continue;
      // A literal is of all folders: it is written without a namespace.
      if (n + 2 < lines.size() && lines[n + 2].find("operator\"\"") != std::string::npos) continue;
      const std::string found = match[1];
      const bool is_within = expected != "ropewalk" && found.starts_with(expected + "::");
      EXPECT_TRUE(found == expected || is_within)
          << path << ":" << n + 1 << " opens " << found << ", and its folder's is " << expected;
      ++opened;
    }
  }
  EXPECT_GT(opened, 1000u);
}

}  // namespace
}  // namespace ropewalk::testing
