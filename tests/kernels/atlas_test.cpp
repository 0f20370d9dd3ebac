// The atlas as data: every seeded bug is in it, and what it says is there.
#include "kernels/atlas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "kernels/kernels.h"
#include "lib/base/error.h"

namespace ropewalk::kernels {
namespace {

TEST(Atlas, HasEverySeededBug) {
  std::set<std::string> known;
  for (const AtlasEntry& entry : all_atlas_entries()) known.insert(entry.kernel);
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_EQ(known.contains(kernel.name), !kernel.is_correct()) << kernel.name;
  }
}

TEST(Atlas, EntriesAreCompleteAndInOrder) {
  const auto& entries = all_atlas_entries();
  EXPECT_TRUE(
      std::is_sorted(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.row < b.row; }));
  for (const AtlasEntry& entry : entries) {
    EXPECT_FALSE(entry.title.empty() || entry.trigger.empty()) << entry.row;
    ASSERT_FALSE(entry.related.empty()) << entry.title;
    for (const std::string& thread : entry.related) {
      EXPECT_NE(thread.find('/'), std::string::npos) << thread;
      EXPECT_NE(thread.find_first_of("#:"), std::string::npos) << thread;
    }
    const Kernel& kernel = kernel_named(entry.kernel);
    EXPECT_FALSE(kernel.is_correct()) << entry.title;
    EXPECT_TRUE(kernel.reject(families::parse_problem(entry.problem)).empty()) << entry.title;
  }
}

TEST(Atlas, LinesAreThoseOfAccessesOrEntries) {
  for (const AtlasEntry& entry : all_atlas_entries()) {
    if (!entry.found.line) continue;
    std::ifstream source(std::string(ROPEWALK_SOURCE_DIR) + "/" + kernel_named(entry.kernel).source);
    std::string text;
    for (u64 n = 0; n < entry.found.line; ++n) std::getline(source, text);
    ASSERT_TRUE(source) << entry.title;
    const bool is_statement = text.find(';') != std::string::npos || text.find(')') != std::string::npos;
    EXPECT_TRUE(is_statement && !text.starts_with("//")) << entry.title << ": " << text;
  }
}

}  // namespace
}  // namespace ropewalk::kernels
