#include "lib/families/cache_store/cache_store_problem.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/families/families.h"
#include "tests/lib/message.h"

namespace ropewalk::cache_store {
namespace {

TEST(CacheStoreProblem, is_what_its_print_says) {
  const char* const texts[] = {
      "cache-store(T=16,H=1,D=64)",
      "cache-store(T=3,H=2,D=8,query_heads=4,token_gap=3,padding=2,slots=40,page_size=16,page_gap=8,layout=hnd,"
      "dtype=bf16,cache_dtype=f8e4m3,k_scale=0.5,v_scale=2,slot_mapping=[5,-1,2],seed=7,input=large)",
      "cache-store(T=1,H=2,D=8,page_size=4,copies=[0,3,1,2])"};
  for (const char* text : texts) EXPECT_EQ(text_of(families::parse_problem(text)), text);
}

std::string refusal(const char* text) {
  return message_of([&] { parse_cache_store(text); });
}

TEST(CacheStoreProblem, errors_name_the_nearest_key) {
  EXPECT_EQ(refusal("cache-store(slot_maping=[1])"),
            "cache-store(slot_maping=[1]): column 13: no field \"slot_maping\", did you mean \"slot_mapping\"?");
  EXPECT_NE(refusal("cache-store(layout=nhb)").find("did you mean \"nhd\"?"), std::string::npos);
  EXPECT_NE(refusal("cache-store(input=big)").find("\"big\" is no kind of input"), std::string::npos);
  EXPECT_NE(refusal("cache-store(T=x)").find("\"x\" is not a whole number"), std::string::npos);
  EXPECT_NE(message_of([] { families::parse_problem("cache-stor(T=1)"); }).find("did you mean \"cache-store\"?"),
            std::string::npos);
}

TEST(CacheStoreProblem, has_as_much_room_as_its_lists_need) {
  const auto pages = [](const char* text) { return parse_cache_store(text).pages(); };
  EXPECT_EQ(pages("cache-store(T=5)"), 5);
  EXPECT_EQ(pages("cache-store(T=5,page_size=4)"), 2);
  EXPECT_EQ(pages("cache-store(T=2,page_size=4,slot_mapping=[-1,12])"), 4);
  EXPECT_EQ(pages("cache-store(T=2,page_size=4,slot_mapping=[-1,-1])"), 1);
  EXPECT_EQ(pages("cache-store(T=2,page_size=4,slots=21)"), 6);
  EXPECT_EQ(pages("cache-store(T=9,page_size=4,copies=[0,2])"), 3);
}

TEST(CacheStoreProblem, has_the_strides_of_its_tensors) {
  const auto problem = parse_cache_store("cache-store(H=2,D=8,query_heads=6,token_gap=3,page_size=4,page_gap=5)");
  EXPECT_EQ(problem.token_stride(), (6 + 2 * 2) * 8 + 3);
  EXPECT_EQ(problem.page_stride(), 4 * 2 * 8 + 5);
  EXPECT_EQ(problem.slot_stride(), 16);
  EXPECT_EQ(problem.head_stride(), 8);
  const auto heads_first = parse_cache_store("cache-store(H=2,D=8,page_size=4,layout=hnd)");
  EXPECT_EQ(heads_first.slot_stride(), 8);
  EXPECT_EQ(heads_first.head_stride(), 32);
}

TEST(CacheStoreProblem, draws_each_slot_once) {
  for (const char* text : {"cache-store(T=30,page_size=4)", "cache-store(T=30,slots=50,seed=9)"}) {
    std::vector<i64> slots = parse_cache_store(text).slots_of_tokens();
    ASSERT_EQ(slots.size(), 30u);
    EXPECT_FALSE(std::ranges::is_sorted(slots));
    std::ranges::sort(slots);
    EXPECT_EQ(std::ranges::adjacent_find(slots), slots.end());
    EXPECT_GE(slots.front(), 0);
    EXPECT_LT(slots.back(), 50);
  }
  EXPECT_NE(parse_cache_store("cache-store(T=30)").slots_of_tokens(),
            parse_cache_store("cache-store(T=30,seed=2)").slots_of_tokens());
}

}  // namespace
}  // namespace ropewalk::cache_store
