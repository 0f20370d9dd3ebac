// Every check against kernels that it must speak of and kernels that it must not: the launch files of
// tests/data/machine/checks, each faulty one with a correct counterpart.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "lib/launch/launch_file.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/machine.h"
#include "tests/lib/machine/launch_cases.h"

namespace ropewalk {
namespace {

constexpr const char* folder = "tests/data/machine/checks";

class Checks : public testing::TestWithParam<LaunchCase> {};

TEST_P(Checks, find_what_is_wrong_and_nothing_else) {
  const LaunchCase& launch_case = GetParam();
  const Launch launch = read_launch_file(launch_case.path());
  RunOptions options;
  options.strict = launch_case.strict();
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = machine::make_machine()->run(launch, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(name_of(outcome.kind), launch_case.want["kind"].get<std::string>()) << outcome.reason;
  EXPECT_EQ(complaints(launch_case, outcome.findings), "");
  EXPECT_LT(took.count(), usual_seconds + 2);
}

INSTANTIATE_TEST_SUITE_P(Machine, Checks, testing::ValuesIn(launch_cases(folder)),
                         [](const auto& info) { return info.param.name; });

TEST(ChecksData, every_faulty_launch_has_a_silent_counterpart) {
  const auto cases = launch_cases(folder);
  for (const LaunchCase& one : cases) {
    if (one.want["findings"].empty()) continue;
    const std::string counterpart = one.want.value("counterpart", "");
    const auto at =
        std::find_if(cases.begin(), cases.end(), [&](const LaunchCase& other) { return other.name == counterpart; });
    ASSERT_NE(at, cases.end()) << one.name << " has no counterpart";
    EXPECT_TRUE(at->want["findings"].empty())
        << one.name << " has the counterpart " << counterpart << ", which is faulty too";
  }
}

TEST(ChecksData, every_rule_that_a_launch_can_break_is_broken) {
  std::set<std::string> broken;
  for (const LaunchCase& one : launch_cases(folder)) {
    for (const auto& finding : one.want["findings"]) broken.insert(finding["rule"].get<std::string>());
  }
  std::vector<Rule> rules{Rule::DeviceAssert};
  for (const Check check : all_checks()) {
    for (const RuleInfo& info : machine::unit_of(check).rules) rules.push_back(info.rule);
  }
  for (const Rule rule : rules) {
    // A launch file frees nothing, and says of values what others compare.
    if (rule == Rule::UseAfterFree || rule == Rule::OutputMismatch) continue;
    EXPECT_TRUE(broken.count(std::string(name_of(rule)))) << name_of(rule);
  }
}

// What one check follows needs no other, and is nothing where the check is left out.
TEST(ChecksData, divisions_are_followed_where_that_is_asked_for) {
  const Launch launch = read_launch_file(std::string(folder) + "/groups_of_no_heads.json");
  const auto kind_with = [&](const char* checks) {
    RunOptions options;
    options.checks = parse_checks(checks);
    return name_of(machine::make_machine()->run(launch, options).kind);
  };
  EXPECT_EQ(kind_with("division"), "found");
  EXPECT_EQ(kind_with("all,-uninitialized"), "found");
  EXPECT_EQ(kind_with("all,-division"), "agreed");
}

TEST(ChecksData, messages_say_how_large_memory_without_a_name_is) {
  const std::pair<const char*, const char*> all[] = {
      {"read_shared_past_the_end", "past the end of shared memory, which has 128 bytes"},
      {"write_dynamic_shared_past_the_end", "past the end of shared memory, which has 124 bytes, all of them dynamic"},
      {"read_local_past_the_end", "past the end of local memory, which has 32 bytes"}};
  for (const auto& [name, words] : all) {
    const Outcome outcome =
        machine::make_machine()->run(read_launch_file(std::string(folder) + "/" + name + ".json"), RunOptions());
    ASSERT_FALSE(outcome.findings.empty()) << name;
    EXPECT_TRUE(outcome.findings[0].message.ends_with(words)) << outcome.findings[0].message;
  }
}

// Each access that races is counted, whether one block or several do.
TEST(ChecksData, races_are_counted_by_their_accesses) {
  const auto counted = [&](const std::string& name) {
    const Outcome outcome =
        machine::make_machine()->run(read_launch_file(std::string(folder) + "/" + name + ".json"), RunOptions());
    u64 accesses = 0;
    for (const Finding& finding : outcome.findings) accesses += finding.occurrences.accesses;
    return accesses;
  };
  EXPECT_EQ(counted("rows_that_overlap"), 16u);    // 8 places of each of 2 blocks
  EXPECT_EQ(counted("places_that_overlap"), 12u);  // of 52 places for 64 threads
  EXPECT_EQ(counted("rows_apart"), 0u);
  EXPECT_EQ(counted("hand_on_without_barrier"), 64u);  // each of 64 threads with one other
}

}  // namespace
}  // namespace ropewalk
