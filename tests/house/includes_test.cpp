// Includes point down the house: to lower floors, and on the same floor to folders that stand earlier in the list.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

// The folders of the house, ground floor first (root CMakeLists.txt has the same order).
const std::vector<std::string> house = {"lib/base",   "lib/ptx",      "lib/problem",  "lib/finding",  "lib/tensor",
                                        "reference",  "lib/launch",   "lib/family",   "lib/machine",  "lib/gpu",
                                        "lib/trace",  "lib/compare",  "lib/generate", "lib/rope",     "lib/compat",
                                        "lib/shrink", "lib/diagnose", "lib/init",     "lib/campaign", "lib/families",
                                        "kernels",    "reports",      "lib/driver",   "tools",        "tests"};

// The rank of the folder; -1: none.
int rank_of(const std::string& path) {
  for (size_t n = 0; n < house.size(); ++n) {
    if (path.starts_with(house[n] + "/")) return int(n);
  }
  return -1;
}

bool is_source(const std::string& path) {
  for (const char* suffix : {".h", ".cpp", ".cu", ".cuh"}) {
    if (path.ends_with(suffix)) return true;
  }
  return false;
}

// Headers that stand in for the CUDA toolkit's when kernels are compiled for the host name each other as nvcc's do.
bool is_stand_in(const std::string& path) { return path.starts_with("tests/kernels/host_cuda/"); }

struct Include {
  std::string file;
  size_t line;
  std::string target;
  bool angled;
};

std::vector<Include> all_includes() {
  static const std::regex pattern("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">].*");
  std::vector<Include> includes;
  for (const std::string& path : repository_files()) {
    if (!is_source(path) || is_stand_in(path)) continue;
    const std::vector<std::string> lines = lines_of(content_of(path));
    for (size_t n = 0; n < lines.size(); ++n) {
      std::smatch match;
      if (std::regex_match(lines[n], match, pattern)) includes.push_back({path, n + 1, match[2], match[1] == "<"});
    }
  }
  return includes;
}

TEST(Includes, AreThere) { EXPECT_GT(all_includes().size(), 100u); }

TEST(Includes, PointDown) {
  for (const Include& include : all_includes()) {
    if (include.angled) continue;
    const int from = rank_of(include.file);
    const int to = rank_of(include.target);
    ASSERT_NE(from, -1) << include.file << " stands in no folder of the house";
    if (to == -1) {
      ADD_FAILURE() << include.file << ":" << include.line << " includes \"" << include.target
                    << "\", which is no path from the root";
      continue;
    }
    EXPECT_LE(to, from) << include.file << ":" << include.line << " points up, to " << include.target;
    EXPECT_FALSE(house[size_t(from)] == "kernels" && house[size_t(to)] == "reference")
        << include.file << ":" << include.line << ": kernels must not know the reference";
  }
}

TEST(Includes, ReachFilesThatExist) {
  std::map<std::string, bool> known;
  for (const std::string& path : repository_files()) known[path] = true;
  for (const Include& include : all_includes()) {
    if (include.angled) continue;
    EXPECT_TRUE(known.count(include.target)) << include.file << ":" << include.line << " includes " << include.target;
  }
}

TEST(Includes, OfCli11AreInTheToolsAlone) {
  for (const Include& include : all_includes()) {
    if (!include.target.starts_with("CLI/")) continue;
    EXPECT_TRUE(include.file.starts_with("tools/parse/") && include.file.ends_with(".cpp"))
        << include.file << ":" << include.line;
  }
}

}  // namespace
}  // namespace ropewalk::testing
