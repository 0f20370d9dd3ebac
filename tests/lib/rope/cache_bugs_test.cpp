// The known bugs of caches as data. That each is found as it says is shown with the other bugs of the atlas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "lib/rope/atlas/cache_bug.h"

namespace ropewalk::rope::testing {
namespace {

TEST(CacheBugs, AreCompleteAndInOrder) {
  const std::vector<CacheBug>& bugs = all_cache_bugs();
  EXPECT_TRUE(std::is_sorted(bugs.begin(), bugs.end(), [](const auto& a, const auto& b) { return a.row < b.row; }));
  for (const CacheBug& bug : bugs) {
    EXPECT_FALSE(bug.title.empty() || bug.cause.empty() || bug.related.empty()) << bug.row;
    EXPECT_TRUE(bug.frequencies_alone || bug.rows > 0) << bug.title;
    for (const std::string& thread : bug.related) EXPECT_NE(thread.find('#'), std::string::npos) << thread;
  }
}

// A mechanism changes what is dumped, and dumps are the same each time they are made.
TEST(CacheBugs, DifferFromTheirCounterparts) {
  const auto same = [](const std::vector<Dump>& a, const std::vector<Dump>& b) {
    for (size_t rank = 0; rank < a.size(); ++rank) {
      for (size_t n = 0; n < a[rank].tensors.size(); ++n) {
        const DumpTensor &x = a[rank].tensors[n], &y = b[rank].tensors[n];
        if (x.shape != y.shape || x.dtype != y.dtype || std::memcmp(x.data.data(), y.data.data(), x.data.size()))
          return false;
      }
    }
    return true;
  };
  for (const CacheBug& bug : all_cache_bugs()) {
    EXPECT_FALSE(same(dumps_of(bug, false), dumps_of(bug, true))) << bug.title;
    EXPECT_TRUE(same(dumps_of(bug, false), dumps_of(bug, false))) << bug.title;
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
