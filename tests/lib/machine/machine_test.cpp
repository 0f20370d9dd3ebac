// What the machine does beside checking: calls, instructions that it does not know, printf, budgets.
#include "lib/machine/machine.h"

#include <gtest/gtest.h>

#include "lib/launch/launch_file.h"
#include "tests/lib/machine/run_integers.h"

namespace ropewalk {
namespace {

Outcome run(const Launch& launch, const RunOptions& options = {}) {
  return machine::make_machine()->run(launch, options);
}

Launch check_launch(const std::string& name) {
  return read_launch_file(std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/machine/checks/" + name + ".json");
}

TEST(Machine, runs_a_function_that_the_compiler_did_not_inline) {
  const Launch launch = integer_launch("calls.ptx", "call_function", 5, 1);
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
  for (const i64 thread : {0, 1, 95}) EXPECT_EQ(integers_of(launch, outcome)[thread], 2 * thread + 5);
}

TEST(Machine, names_a_function_that_calls_itself) {
  const Outcome outcome = run(integer_launch("calls.ptx", "call_itself", 5, 1));
  EXPECT_EQ(outcome.kind, OutcomeKind::NotRun);
  EXPECT_NE(outcome.reason.find("calls itself"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("halvings"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("calls.cu:"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("calls.ptx:"), std::string::npos) << outcome.reason;
}

TEST(Machine, runs_past_a_call_that_is_not_reached) {
  const Launch launch = integer_launch("calls.ptx", "call_function", 0, 1);
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
  EXPECT_EQ(integers_of(launch, outcome)[95], 95);
}

TEST(Machine, refuses_an_unknown_instruction_only_where_it_is_reached) {
  const Outcome outcome = run(integer_launch("unknown.ptx", "reach_unknown", 1, 1, 32));
  EXPECT_EQ(outcome.kind, OutcomeKind::NotRun);
  EXPECT_NE(outcome.reason.find("wgmma.fence.sync.aligned"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("unknown.ptx:19"), std::string::npos) << outcome.reason;

  const Launch past = integer_launch("unknown.ptx", "reach_unknown", 0, 1, 32);
  const Outcome beside = run(past);
  ASSERT_EQ(beside.kind, OutcomeKind::Agreed) << beside.reason;
  EXPECT_EQ(integers_of(past, beside)[31], 31);
}

TEST(Machine, keeps_what_kernels_print_in_the_order_of_blocks) {
  for (const u32 threads : {1u, 2u}) {
    RunOptions options;
    options.threads = threads;
    const Outcome outcome = run(check_launch("print_some"), options);
    EXPECT_EQ(outcome.printed, (std::vector<std::string>{"block 0 thread 0: 1 done\n", "block 0 thread 1: 2 done\n",
                                                         "block 1 thread 0: 1 done\n", "block 1 thread 1: 2 done\n"}));
  }
}

TEST(Machine, counts_instructions_against_the_budget) {
  RunOptions options;
  options.budget = 10'000;  // the loop needs more
  const Outcome short_of = run(check_launch("loop_with_an_end"), options);
  EXPECT_EQ(short_of.kind, OutcomeKind::NotRun);
  EXPECT_TRUE(short_of.findings.empty());
  EXPECT_NE(short_of.reason.find("not finished: the budget of 10000 instructions is used up"), std::string::npos) << short_of.reason;
  EXPECT_NE(short_of.reason.find(".cu:"), std::string::npos) << short_of.reason;
  EXPECT_LT(short_of.statistics.seconds, 1);

  options.budget = 10'000'000;
  EXPECT_EQ(run(check_launch("loop_with_an_end"), options).kind, OutcomeKind::Agreed);
}

TEST(Machine, finds_a_hang_long_before_the_time_is_up) {
  RunOptions options;
  options.seconds = 0.5;
  const Outcome outcome = run(check_launch("flag_that_is_not_set"), options);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::Hang);
  EXPECT_LT(outcome.statistics.seconds, 5);
}

TEST(Machine, runs_an_entry_that_is_not_there_never) {
  EXPECT_THROW(run(integer_launch("calls.ptx", "no_such_entry", 0)), std::exception);
}

}  // namespace
}  // namespace ropewalk
