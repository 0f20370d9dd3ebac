// Files of several ranks: copies, shards of any length and order, and what differs between them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

// Ranks that begin at these positions; rank r has as many rows as `rows` says.
std::vector<Dump> shards(const std::vector<i64>& starts, const std::vector<i64>& rows) {
  std::vector<Dump> dumps;
  for (size_t rank = 0; rank < starts.size(); ++rank) {
    dumps.push_back(bare_dump(rows_at(rows[rank], [start = starts[rank]](i64 row) { return double(start + row); }),
                              "r" + std::to_string(rank)));
  }
  return dumps;
}

CacheAnswer judge_shards(const std::vector<Dump>& dumps) { return check_dumps(dumps, config_for(plain_formula()), 1); }

// torch.chunk gives the last rank what is left.
TEST(Shards, OfUnequalLengthAreRight) {
  for (const bool configured : {true, false}) {
    const auto config = configured ? std::optional(config_for(plain_formula())) : std::nullopt;
    const CacheAnswer answer = check_dumps(shards({0, 342, 684}, {342, 342, 340}), config, 1);
    EXPECT_EQ(only_cause(answer), "");
    EXPECT_EQ(answer.passed, 3u);
    EXPECT_EQ(answer.notes[1], "the 3 files are contiguous shards of one table");
  }
}

TEST(Shards, InAnotherOrderAreSwapped) {
  const CacheAnswer reversed = judge_shards(shards({768, 512, 256, 0}, {256, 256, 256, 256}));
  EXPECT_EQ(only_cause(reversed), "rank-swapped");
  EXPECT_EQ(reversed.findings[0].cause->text, "rank 0 has the shard of rank 3");
  EXPECT_EQ(reversed.findings[0].cause->evidence.back(), "rank 3 has the shard of rank 0");
  EXPECT_EQ(only_cause(judge_shards(shards({896, 128, 256, 384, 512, 640, 768, 0}, std::vector<i64>(8, 128)))),
            "rank-swapped");
}

TEST(Shards, ThatShareRowsOverlap) {
  const CacheAnswer half = judge_shards(shards({0, 128, 256, 384}, {256, 256, 256, 256}));
  EXPECT_EQ(only_cause(half), "shards-overlap");
  EXPECT_EQ(half.findings[0].cause->text, "each shard begins 128 rows before the end of the one before it");
  const CacheAnswer late = judge_shards(shards({0, 255, 511, 767}, {256, 256, 256, 256}));
  EXPECT_EQ(only_cause(late), "shards-overlap");
  EXPECT_EQ(late.findings[0].cause->text,
            "the shard of rank 1 begins 1 row before the end of that of rank 0, and no position is missing");
  // A gap is no overlap.
  EXPECT_EQ(only_cause(judge_shards(shards({0, 255, 512, 768}, {256, 256, 256, 256}))), "position-shift");
}

// Shards of any length: the ranks that follow the one before them are right.
TEST(Shards, ThatLeavePositionsOutHaveAGap) {
  const auto text_of = [](const CacheAnswer& answer) {
    EXPECT_EQ(only_cause(answer), "shards-gap");
    return answer.findings.empty() ? "" : answer.findings[0].message.substr(0, 12) + answer.findings[0].cause->text;
  };
  EXPECT_EQ(text_of(judge_shards(shards({0, 342, 690}, {342, 342, 334}))),
            "table r2 on positions 684 to 689 are in no shard: that of rank 2 begins 6 rows past the end of that of "
            "rank 1");
  EXPECT_EQ(text_of(judge_shards(shards({0, 301, 600}, {300, 299, 424}))),
            "table r1 on position 300 is in no shard: that of rank 1 begins 1 row past the end of that of rank 0");
  const CacheAnswer each = judge_shards(shards({0, 257, 514, 771}, {256, 256, 256, 253}));
  EXPECT_EQ(only_cause(each), "shards-gap");
  EXPECT_EQ(each.passed, 1u);
}

TEST(Shards, OfUnequalLengthMayOverlap) {
  const CacheAnswer one = judge_shards(shards({0, 298, 600}, {300, 302, 424}));
  EXPECT_EQ(only_cause(one), "shards-overlap");
  EXPECT_EQ(one.passed, 2u);
  EXPECT_EQ(one.findings[0].cause->text,
            "the shard of rank 1 begins 2 rows before the end of that of rank 0, and no position is missing");
  EXPECT_EQ(only_cause(check_dumps(shards({0, 500}, {512, 524}), std::nullopt, 1)), "shards-overlap");
  EXPECT_EQ(only_cause(judge_shards(shards({0, 300, 600}, {300, 300, 424}))), "");
}

// Copies of the whole length are no shards, wherever they begin.
TEST(Shards, AreNoCopies) {
  EXPECT_EQ(only_cause(judge_shards(shards({0, 3}, {1024, 1024}))), "position-shift");
  EXPECT_EQ(only_cause(check_dumps(shards({0, 2}, {512, 512}), std::nullopt, 1)), "position-shift");
}

TEST(Ranks, OfAnotherLayoutAreFound) {
  FloatTable right = rows_at(512, [](i64 row) { return double(row); }), cosines = right;
  cosines.sine = cosines.cosine;
  for (const bool configured : {true, false}) {
    const auto config = configured ? std::optional(config_for(plain_formula(64, 512))) : std::nullopt;
    const CacheAnswer answer = check_dumps({bare_dump(right), bare_dump(cosines)}, config, 1);
    EXPECT_EQ(only_cause(answer), "layout-mixup");
    EXPECT_EQ(answer.findings[0].rule, Rule::RankMismatch);
  }
}

TEST(Ranks, OfAnotherLengthAreNoted) {
  const CacheAnswer answer = check_dumps(shards({0, 0}, {512, 500}), std::nullopt, 1);
  EXPECT_EQ(only_cause(answer), "");
  EXPECT_EQ(answer.notes[1], "the table has not the same length on all ranks: 500 rows on rank 1; 512 rows on rank 0");
}

TEST(Ranks, SeveralTablesDiffer) {
  const CacheAnswer answer = judge_shards(shards({0, 0, 512, 0}, {256, 256, 256, 256}));
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_NE(answer.findings[0].message.find("tables r1, r3 on ranks 1, 3 differ from their formula"), std::string::npos)
      << answer.findings[0].message;
}

// What no formula explains is compared all the same, with and without a configuration.
TEST(Ranks, OfAnUnknownFormulaAreCompared) {
  RopeFormula unknown = plain_formula(64, 512);
  unknown.type = RopeType::LongRope;
  unknown.original_positions = 256;
  for (i64 pair = 0; pair < 32; ++pair) unknown.short_factor.push_back(1 + 0.21 * double(pair % 7));
  unknown.long_factor = unknown.short_factor;
  FloatTable table = float_table({unknown, 512}, 512);
  const Dump right = bare_dump(table, "r0");
  table.sine[size_t(300 * table.pairs + 5)] += 0.2f;
  const Dump other = bare_dump(table, "r1");
  for (const bool configured : {false, true}) {
    const std::optional<RopeConfig> config =
        configured ? std::optional(config_for(plain_formula(64, 512))) : std::nullopt;
    const CacheAnswer same = check_dumps({right, right}, config, 1), differ = check_dumps({right, other}, config, 1);
    EXPECT_EQ(same.findings.size(), configured ? 1u : 0u);
    ASSERT_EQ(differ.findings.size(), configured ? 2u : 1u);
    const auto found = std::find_if(differ.findings.begin(), differ.findings.end(),
                                    [](const Finding& one) { return one.rule == Rule::RankMismatch; });
    ASSERT_NE(found, differ.findings.end());
    EXPECT_NE(found->message.find("in 1 of 32768 values, first at row 300"), std::string::npos) << found->message;
    EXPECT_EQ(found->cause->advice.find("--config") != std::string::npos, !configured);
  }
}

// The fields do not say the formula; where most layers have it, the one that has another is wrong.
TEST(Layers, MostOfThemTellTheFormula) {
  RopeConfig config = config_for(plain_formula());
  config.entries.front().sure = false;
  const auto answer_with = [&](int odd_layers) {
    DumpWriter writer("t.safetensors");
    const FloatTable right = rows_at(1024, [](i64 row) { return double(row); });
    const FloatTable late = rows_at(1024, [](i64 row) { return double(row + 1); });
    for (int layer = 0; layer < 5; ++layer) {
      writer.add(layer < odd_layers ? late : right, DumpLayout::Rows, Dtype::F32,
                 "layers." + std::to_string(layer) + ".rotary_emb.");
    }
    return check_dumps({writer.finish()}, config, 1);
  };
  EXPECT_EQ(only_cause(answer_with(0)), "");
  EXPECT_EQ(only_cause(answer_with(1)), "position-shift");
  EXPECT_EQ(answer_with(4).not_judged.size(), 4u);
}

}  // namespace
}  // namespace ropewalk::rope::testing
