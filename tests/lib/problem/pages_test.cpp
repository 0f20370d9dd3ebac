#include "lib/problem/pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/problem/attention.h"

namespace ropewalk {
namespace {

AttentionProblem paged() {
  AttentionProblem p;
  p.batch = 3;
  p.key_tokens = 10;
  p.page_size = 4;
  p.spare_pages = 2;
  p.key_lengths = {10, 0, 5};
  return p;
}

TEST(Pages, are_as_many_as_keys_fill) {
  const AttentionProblem p = paged();
  EXPECT_EQ(pages_of_capacity(p), 3);
  EXPECT_EQ(pages_of(p, 0), 3);
  EXPECT_EQ(pages_of(p, 1), 0);
  EXPECT_EQ(pages_of(p, 2), 2);
  EXPECT_EQ(table_columns(p), 3);
  EXPECT_EQ(pages_in_pool(p), 11);
}

TEST(Pages, are_drawn_once_each_and_none_behind_the_last) {
  AttentionProblem p = paged();
  std::set<std::vector<i64>> tables;
  for (p.seed = 0; p.seed < 20; ++p.seed) {
    const std::vector<i64> table = block_table_of(p);
    ASSERT_EQ(table.size(), 9u);
    EXPECT_EQ(table, block_table_of(p));
    std::vector<i64> used;
    for (u64 n = 0; n < table.size(); ++n) {
      if (n % 3 >= u64(pages_of(p, i64(n / 3)))) {
        EXPECT_EQ(table[n], -1) << n;
      } else {
        used.push_back(table[n]);
      }
    }
    std::sort(used.begin(), used.end());
    EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end());
    EXPECT_GE(used.front(), 0);
    EXPECT_LT(used.back(), 11);
    tables.insert(table);
  }
  EXPECT_GT(tables.size(), 15u);
}

TEST(Pages, may_be_listed) {
  AttentionProblem p = paged();
  p.block_table = {0, 1, 2, 3, 0, 1, 2, 3, 9, 9, 9, 9};
  EXPECT_EQ(table_columns(p), 4);
  EXPECT_EQ(block_table_of(p), p.block_table);
}

TEST(Splits, have_all_keys_once) {
  for (i64 splits = 1; splits < 9; ++splits) {
    for (i64 keys = 0; keys < 20; ++keys) {
      AttentionProblem p;
      p.splits = splits;
      i64 next = 0;
      for (i64 split = 0; split < splits; ++split) {
        const AttentionProblem::Range part = p.keys_of_split(split, keys);
        EXPECT_EQ(part.first, next) << splits << " " << keys;
        EXPECT_LE(part.first, part.last);
        next = part.last;
      }
      EXPECT_EQ(next, keys) << splits;
    }
  }
}

}  // namespace
}  // namespace ropewalk
