// Findings that come again and again: settling them hides no other, and makes none.
#include "lib/machine/settled.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lib/machine/machine.h"
#include "lib/ptx/read.h"

namespace ropewalk {
namespace {

struct SettledCase {
  const char* entry;
  bool is_written;
  std::set<Rule> rules;
  bool is_settled;  // some of them
};

void PrintTo(const SettledCase& it, std::ostream* out) { *out << it.entry; }

constexpr u32 blocks = 64, block_threads = 64;

Launch launch_with(const SettledCase& it, u32 blocks) {
  const i64 n = i64(blocks) * block_threads;
  Launch launch;
  launch.module = std::make_shared<const ptx::Module>(
      ptx::read_file(std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/machine/settled.ptx"));
  launch.entry = it.entry;
  launch.grid = {blocks, 1, 1};
  launch.block = {block_threads, 1, 1};
  const Init inits[] = {it.is_written ? Init(Fill{7}) : Init(Uninitialized{}), Fill{3}, Fill{0}};
  for (u32 number = 0; number < 3; ++number) {
    launch.tensors.push_back({.name = std::string(1, char('a' + number)),
                              .dtype = Dtype::I32,
                              .shape = {n},
                              .strides = {1},
                              .init = inits[number]});
    launch.arguments.push_back(TensorArgument{number});
  }
  launch.arguments.push_back(ScalarArgument{Dtype::I32, u64(n)});
  return launch;
}

Outcome run(const SettledCase& it, u64 settle_after, u32 workers) {
  const Launch launch = launch_with(it, blocks);
  RunOptions options;
  options.settle_after = settle_after;
  options.threads = workers;
  return machine::make_machine()->run(launch, options);
}

class Settled : public testing::TestWithParam<SettledCase> {};

TEST_P(Settled, hides_no_other_finding_and_makes_none) {
  for (const u32 workers : {1u, 3u}) {
    const Outcome outcome = run(GetParam(), 1, workers);
    std::set<std::string_view> rules, expected;
    bool some_settled = false;
    for (const Finding& finding : outcome.findings) {
      rules.insert(name_of(finding.rule));
      some_settled |= finding.occurrences.at_least;
      EXPECT_TRUE(finding.occurrences.at_least || finding.occurrences.blocks == blocks ||
                  finding.occurrences.blocks == 1)
          << finding.message << ", in " << finding.occurrences.blocks << " blocks";
    }
    for (const Rule rule : GetParam().rules) expected.insert(name_of(rule));
    EXPECT_EQ(rules, expected) << workers << " workers";
    EXPECT_EQ(some_settled, GetParam().is_settled) << workers << " workers";
  }
}

TEST_P(Settled, is_not_asked_for_where_all_are_counted) {
  std::set<Rule> rules;
  for (const Finding& finding : run(GetParam(), 0, 2).findings) {
    EXPECT_FALSE(finding.occurrences.at_least) << finding.message;
    rules.insert(finding.rule);
  }
  EXPECT_EQ(rules, GetParam().rules);
}

TEST_P(Settled, is_made_again_by_a_second_launch_with_all_others) {
  const auto executor = machine::make_machine();
  const Launch launch = launch_with(GetParam(), blocks);
  std::set<std::string> reported, again;
  RunOptions options;
  options.reported = &reported;
  for (const Finding& finding : executor->run(launch, options).findings) reported.insert(finding.id);
  const Outcome second = executor->run(launch, options);
  EXPECT_EQ(second.kind, OutcomeKind::Found);
  again = second.made_again;
  for (const Finding& finding : second.findings) {
    EXPECT_TRUE(again.insert(finding.id).second) << "twice: " << finding.message;
  }
  EXPECT_EQ(again, reported);
}

const std::set<Rule> unwritten{Rule::UninitializedRead}, outside{Rule::OutOfBoundsRead};

INSTANTIATE_TEST_SUITE_P(
    Machine, Settled,
    testing::Values(SettledCase{"late_write", true, {Rule::OutOfBoundsRead, Rule::OutOfBoundsWrite}, true},
                    SettledCase{"late_read", false, {Rule::UninitializedRead, Rule::OutOfBoundsRead}, true},
                    SettledCase{"two_in_one_value", false, {Rule::UninitializedRead, Rule::OutOfBoundsRead}, true},
                    SettledCase{"as_index", false, unwritten, false},
                    SettledCase{"outside_as_index", true, outside, false},
                    SettledCase{"as_index_through_shared_memory", false, unwritten, false},
                    SettledCase{"as_index_through_global_memory", false, unwritten, false},
                    SettledCase{"as_index_through_a_shuffle", false, unwritten, false},
                    SettledCase{"as_index_through_a_vote", false, unwritten, false},
                    SettledCase{"as_lane", false, unwritten, false}, SettledCase{"as_branch", false, unwritten, false},
                    SettledCase{"as_count", false, unwritten, false},
                    SettledCase{"past_shared_memory",
                                false,
                                {Rule::UninitializedRead, Rule::OutOfBoundsRead, Rule::OutOfBoundsWrite},
                                true},
                    SettledCase{"past_shared_memory_as_index", true, outside, false},
                    SettledCase{"count_outside", false, {Rule::OutOfBoundsWrite, Rule::UninitializedRead}, true},
                    SettledCase{"sum_of_unwritten", false, {Rule::UninitializedRead, Rule::OutOfBoundsRead}, true},
                    SettledCase{"count_in_unwritten", false, {Rule::UninitializedRead, Rule::OutOfBoundsRead}, true},
                    SettledCase{"count_in_unwritten_as_index", false, unwritten, false},
                    SettledCase{"sum_as_index", false, unwritten, false},
                    SettledCase{"around_a_barrier", false, unwritten, false}),
    [](const auto& info) { return std::string(info.param.entry); });

// Of many blocks the first ones show who is missed at a barrier, where they show it of every barrier.
class MissedInManyBlocks : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(MissedInManyBlocks, are_found_at_each_barrier) {
  constexpr u32 many = 1024, rounds = 3;
  const auto [entry, barriers] = GetParam();
  Launch launch = launch_with({.entry = entry, .is_written = true}, many);
  launch.arguments.back() = ScalarArgument{Dtype::I32, rounds};
  const Outcome outcome = machine::make_machine()->run(launch, RunOptions());
  std::set<u32> lines;
  for (const Finding& finding : outcome.findings) {
    EXPECT_EQ(finding.rule, Rule::BarrierDivergence) << finding.message;
    EXPECT_EQ(finding.severity, Severity::Error);
    lines.insert(finding.location->ptx_line);
  }
  EXPECT_EQ(lines.size(), barriers);
  i32 sum = 0;
  std::memcpy(&sum, outcome.tensors[2].bytes, sizeof sum);
  EXPECT_EQ(sum, i32(many * 3));
}

INSTANTIATE_TEST_SUITE_P(Machine, MissedInManyBlocks,
                         testing::Values(std::pair{"missed_by_all", 1}, std::pair{"missed_twice_in_one", 2},
                                         std::pair{"missed_by_one", 1}, std::pair{"missed_by_none", 0}),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace ropewalk
