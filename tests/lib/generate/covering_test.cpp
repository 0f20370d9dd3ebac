#include "lib/generate/covering.h"

#include <gtest/gtest.h>

#include <set>

namespace ropewalk::generate {
namespace {

// Every combination of values of every three parameters, counted without the class under test.
std::set<std::vector<u32>> triples_of(const std::vector<Choice>& rows) {
  std::set<std::vector<u32>> seen;
  for (const Choice& row : rows) {
    for (u32 a = 0; a < row.size(); ++a) {
      for (u32 b = a + 1; b < row.size(); ++b) {
        for (u32 c = b + 1; c < row.size(); ++c) seen.insert({a, row[a], b, row[b], c, row[c]});
      }
    }
  }
  return seen;
}

TEST(Covering, has_every_triple) {
  const std::vector<u32> sizes{3, 2, 4, 1, 5};
  const std::vector<Choice> rows = covering_array(sizes, 3, Random(1));
  u64 all = 0;
  for (u32 a = 0; a < sizes.size(); ++a) {
    for (u32 b = a + 1; b < sizes.size(); ++b) {
      for (u32 c = b + 1; c < sizes.size(); ++c) all += u64(sizes[a]) * sizes[b] * sizes[c];
    }
  }
  EXPECT_EQ(triples_of(rows).size(), all);
  EXPECT_EQ(Tuples(sizes, 3).count(), all);
  EXPECT_GE(rows.size(), 60u);  // 3 x 4 x 5 triples of the largest three cannot share a row
  EXPECT_LE(rows.size(), 90u);  // and few more are needed
}

TEST(Covering, counts_what_a_row_has) {
  const Tuples pairs({2, 3, 2}, 2);
  EXPECT_EQ(pairs.count(), 2u * 3 + 2 * 2 + 3 * 2);
  std::set<u64> seen;
  const auto note = [&](u64 tuple) { seen.insert(tuple); };
  pairs.each({0, 0, 0}, note);
  EXPECT_EQ(seen, (std::set<u64>{0, 6, 10}));
  seen.clear();
  pairs.each({1, drawn, 1}, note);  // a drawn value is none of the listed ones
  EXPECT_EQ(seen, (std::set<u64>{9}));
}

TEST(Covering, goes_on_from_given_rows) {
  const std::vector<u32> sizes(8, 3);
  const std::vector<Choice> pairs = covering_array(sizes, 2, Random(1));
  std::vector<Choice> all = covering_array(sizes, 3, Random(2), pairs);
  EXPECT_LT(all.size(), covering_array(sizes, 3, Random(2)).size() + 1);
  all.insert(all.end(), pairs.begin(), pairs.end());
  EXPECT_EQ(triples_of(all).size(), Tuples(sizes, 3).count());
}

TEST(Covering, depends_on_its_arguments_alone) {
  const std::vector<u32> sizes{4, 4, 3, 2, 2};
  EXPECT_EQ(covering_array(sizes, 2, Random(7)), covering_array(sizes, 2, Random(7)));
  EXPECT_NE(covering_array(sizes, 2, Random(7)), covering_array(sizes, 2, Random(8)));
}

TEST(Covering, needs_nothing_of_too_few_parameters) {
  EXPECT_TRUE(covering_array({3, 3}, 3, Random(1)).empty());
  EXPECT_EQ(Tuples({3, 3}, 3).count(), 0u);
}

}  // namespace
}  // namespace ropewalk::generate
