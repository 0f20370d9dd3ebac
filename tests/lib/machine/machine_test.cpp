// What the machine does beside checking: calls, instructions that it does not know, printf, budgets.
#include "lib/machine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/launch/launch_file.h"
#include "lib/ptx/read_module.h"
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

// Functions that call the one before them once or twice, and what a launch of the last one comes to.
Outcome run_of_calls(u32 functions, u32 calls) {
  std::string text = ".version 8.8\n.target sm_100\n.address_size 64\n.func f0() { ret; }\n";
  for (u32 n = 1; n <= functions; ++n) {
    text += fmt::format(".func f{}() {{", n);
    for (u32 call = 0; call < calls; ++call) text += fmt::format(" call f{};", n - 1);
    text += " ret; }\n";
  }
  text += fmt::format(".visible .entry k(.param .u64 out, .param .u32 number) {{ call f{}; ret; }}\n", functions);
  Launch launch = integer_launch("calls.ptx", "k", 0, 1, 32);
  launch.tensors[0].output = false;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(text, "chain.ptx"));
  return run(launch);
}

TEST(Machine, bounds_what_calls_become) {
  EXPECT_EQ(run_of_calls(150, 1).kind, OutcomeKind::Agreed);
  EXPECT_EQ(run_of_calls(10, 2).kind, OutcomeKind::Agreed);
  for (const auto& [functions, calls] : {std::pair<u32, u32>{20000, 1}, {30, 2}}) {
    const Outcome outcome = run_of_calls(functions, calls);
    EXPECT_EQ(outcome.kind, OutcomeKind::NotRun);
    EXPECT_NE(outcome.reason.find("levels of calls"), std::string::npos) << outcome.reason;
  }
}

// Calls the address in `callee`, a number or a name.
Outcome run_of_call_by_address(const std::string& callee) {
  Launch launch = integer_launch("calls.ptx", "k", 0, 1, 32);
  launch.tensors[0].output = false;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(fmt::format(R"(.version 8.8
.target sm_100
.address_size 64
.func f() {{ ret; }}
.func other(.param .b32 value) {{ ret; }}
.visible .entry k(.param .u64 out, .param .u32 number) {{
  .reg .b64 %rd<3>;
  mov.u64 %rd2, other;
  mov.u64 %rd1, {};
  prototype: .callprototype _ ();
  call %rd1, prototype;
  ret;
}})",
                                                                             callee),
                                                                 "by_address.ptx"));
  return run(launch);
}

TEST(Machine, finds_calls_of_what_is_no_function) {
  EXPECT_EQ(run_of_call_by_address("f").kind, OutcomeKind::Agreed);
  for (const char* address : {"0", "4096", "140737488355328"}) {
    const Outcome outcome = run_of_call_by_address(address);
    ASSERT_EQ(outcome.findings.size(), 1u) << outcome.reason;
    EXPECT_EQ(outcome.findings[0].rule, Rule::IllegalAddress);
    EXPECT_EQ(outcome.findings[0].occurrences.threads, 32u);
  }
  EXPECT_NE(run_of_call_by_address("other").reason.find("has other parameters"), std::string::npos);
}

// What a store across the end would have left inside of the tensor is lost with it, and is no finding of its own.
TEST(Machine, a_store_across_the_end_loses_what_lies_inside) {
  Launch launch = integer_launch("calls.ptx", "k", 0, 1, 32);
  launch.tensors[0].shape = {63};
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(R"(.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 number) {
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd1, %rd1, %rd2;
  st.global.v2.u32 [%rd1], {%r1, %r1};
  ret;
})",
                                                                 "pairs.ptx"));
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::OutOfBoundsWrite);
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
  EXPECT_NE(short_of.reason.find("not finished: the budget of 10000 instructions is used up"), std::string::npos)
      << short_of.reason;
  EXPECT_NE(short_of.reason.find(".cu:"), std::string::npos) << short_of.reason;
  EXPECT_LT(short_of.statistics.seconds, 1);

  options.budget = 10'000'000;
  EXPECT_EQ(run(check_launch("loop_with_an_end"), options).kind, OutcomeKind::Agreed);
}

TEST(Machine, a_launch_that_is_stopped_is_not_finished) {
  for (const char* const name : {"loop_with_an_end", "flag_that_is_not_set"}) {
    const std::atomic<bool> stop = true;
    RunOptions options;
    options.stop = &stop;
    const Outcome outcome = run(check_launch(name), options);
    EXPECT_EQ(outcome.kind, OutcomeKind::NotRun) << name;
    EXPECT_NE(outcome.reason.find("not finished: it was interrupted"), std::string::npos) << outcome.reason;
    EXPECT_TRUE(outcome.findings.empty()) << name;
  }
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
