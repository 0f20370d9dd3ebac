// What the machine does beside checking: calls, instructions that it does not know, printf, budgets.
#include "lib/machine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

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

namespace {

constexpr u32 threads = 64;

// A launch of 64 threads of a kernel with this body, whose `out` is an array of integers, all 0.
Launch launch_of(const std::string& body, u32 number = 0) {
  const std::string head =
      ".version 8.8\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u32 number) {\n"
      ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<6>; .shared .align 4 .b32 s;\n"
      "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [number]; mov.u32 %r2, %tid.x;\n"
      "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n";
  Launch launch = integer_launch("calls.ptx", "k", i32(number), 1, threads);
  launch.tensors[0].init = Fill{};
  launch.tensors[0].output = false;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(head + body + "ret; }\n", "text.ptx"));
  return launch;
}

std::vector<Rule> rules_of(const Launch& launch) {
  std::vector<Rule> out;
  for (const Finding& finding : run(launch).findings) out.push_back(finding.rule);
  return out;
}

// One thread looks at a flag for all of them, for ever.
constexpr const char* looks_for_all =
    "setp.ne.u32 %p1, %r2, 0;\n"
    "again: @%p1 bra met; atom.global.add.u32 %r3, [%rd3], 0; st.shared.u32 [s], %r3;\n"
    "met: bar.sync 0; ld.shared.u32 %r4, [s]; bar.sync 0; setp.eq.u32 %p2, %r4, 0; @%p2 bra again;\n";

}  // namespace

TEST(Machine, who_looks_past_the_end_for_ever_hangs_too) {
  const Launch inside = launch_of(looks_for_all);
  EXPECT_EQ(rules_of(inside), std::vector{Rule::Hang});
  EXPECT_EQ(rules_of(launch_of(looks_for_all, threads)), (std::vector{Rule::OutOfBoundsWrite, Rule::Hang}));
}

TEST(Machine, a_hang_is_at_the_thread_that_waits_for_nobody_and_says_what_it_looks_at) {
  // Block 0 waits until both have counted, but block 1 waits before that for what nobody stores.
  Launch launch = launch_of(
      "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; @%p1 bra count;\n"
      "flag: ld.relaxed.gpu.global.u32 %r4, [%rd1+12]; setp.eq.u32 %p2, %r4, 0; @%p2 bra flag;\n"
      "count: setp.ne.u32 %p3, %r2, 0; @%p3 bra past; red.global.add.u32 [%rd1+4], 1;\n"
      "past: bar.sync 0;\n"
      "met: ld.relaxed.gpu.global.u32 %r4, [%rd1+4]; setp.lt.u32 %p2, %r4, 2; @%p2 bra met;\n");
  launch.grid.x = 2;
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  const Finding& hang = outcome.findings[0];
  EXPECT_EQ(hang.message, "never goes on: it waits for out[3] to change, which no thread that is left will do");
  ASSERT_TRUE(hang.thread && hang.other_thread && hang.access && hang.access->index);
  EXPECT_EQ(hang.thread->block[0], 1u);
  EXPECT_EQ(hang.other_thread->block[0], 0u);
  EXPECT_EQ(hang.access->index->front(), 3);
  EXPECT_EQ(hang.evidence,
            (std::vector<std::string>{"it reads out[3], which stays 0; no thread of the launch has stored there",
                                      "others wait for out[1], which is 1"}));
}

TEST(Machine, a_hang_in_shared_memory_says_what_it_looks_at) {
  const Outcome outcome =
      run(launch_of("setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [s], 7; bar.sync 0;\n"
                    "again: ld.volatile.shared.u32 %r4, [s]; setp.eq.u32 %p2, %r4, 7; @%p2 bra again;\n"));
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].evidence, std::vector<std::string>{"it reads s + 0 (4 bytes), which stays 7"});
}

TEST(Machine, a_hang_at_an_mbarrier_says_how_many_arrivals_are_missing) {
  const Outcome outcome =
      run(launch_of("{ .shared .align 8 .b64 all;\nsetp.eq.u32 %p1, %r2, 0; @%p1 mbarrier.init.shared.b64 [all], 70;\n"
                    "bar.sync 0; mbarrier.arrive.shared.b64 %rd4, [all];\n"
                    "again: mbarrier.test_wait.shared.b64 %p2, [all], %rd4; @!%p2 bra again; }\n"));
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(
      outcome.findings[0].evidence,
      std::vector<std::string>{"it waits at the mbarrier at all + 0 (8 bytes), where 6 of 70 arrivals are missing in "
                               "phase 0"});
}

TEST(Machine, a_hang_names_who_has_the_lock_that_others_wait_for) {
  const auto take_at = [&](const std::string& address, const std::string& label) {
    return "again" + label + ": atom.global.cas.b32 %r4, [" + address +
           "], 0, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra again" + label + ";\n";
  };
  const auto evidence_of = [&](const std::string& body, u32 blocks) {
    Launch launch = launch_of("setp.ne.u32 %p1, %r2, 0; @%p1 bra past; mov.u32 %r3, %ctaid.x;\n" + body + "past:\n");
    launch.grid.x = blocks;
    launch.block.x = 32;
    const Outcome outcome = run(launch);
    return outcome.findings.size() == 1 ? outcome.findings[0].evidence : std::vector<std::string>{"none"};
  };
  // Two locks, one after the other, which every second block takes in the other order.
  const std::string both =
      "and.b32 %r3, %r3, 1; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd1, %rd4;\n"
      "xor.b32 %r3, %r3, 1; mul.wide.u32 %rd5, %r3, 4; add.u64 %rd5, %rd1, %rd5;\n" +
      take_at("%rd4", "1") + "nanosleep.u32 100;\n" + take_at("%rd5", "2") +
      "atom.global.exch.b32 %r4, [%rd5], 0; atom.global.exch.b32 %r4, [%rd4], 0;\n";
  EXPECT_EQ(evidence_of(both, 4),
            (std::vector<std::string>{
                "it reads out[1], which stays 1; thread (0, 0, 0) of block (3, 0, 0) stored that and waits for out[0]",
                "others wait for out[0], which is 1; thread (0, 0, 0) of block (2, 0, 0) stored that and waits for "
                "out[1]"}));
  EXPECT_EQ(evidence_of(take_at("%rd1", "1"), 3),
            (std::vector<std::string>{
                "it reads out[0], which stays 1; thread (0, 0, 0) of block (0, 0, 0) stored that and has ended",
                "1 of 3 blocks ended before"}));
  EXPECT_EQ(evidence_of(take_at("%rd1", "1") + take_at("%rd1", "2"), 1),
            std::vector<std::string>{"it reads out[0], which stays 1; it stored that itself"});
}

// Each of some lanes reads its neighbour's element and then stores its own. Nothing promises that they do so in step,
// and they do so on today's hardware, wherever the other lanes of the warp are.
TEST(Machine, lanes_that_go_one_way_together_race_with_a_warning) {
  const auto severities = [](const std::string& around, const std::string& store, const std::string& behind) {
    Launch launch = launch_of(
        "xor.b32 %r5, %r2, 1; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd1, %rd4; mul.wide.u32 %rd5, "
        "%r5, 4; add.u64 %rd5, %rd1, %rd5; setp.lt.u32 %p1, %r2, 16; add.u32 %r3, %r2, 7;\n" +
        around + "ld.global.u32 %r4, [%rd5]; add.u32 %r4, %r4, %r3;\n" + store + "\n" + behind);
    launch.block.x = 32;
    std::set<Severity> out;
    for (const Finding& finding : run(launch).findings) out.insert(finding.severity);
    return out;
  };
  const std::string half = "@!%p1 bra past;\n", store = "st.global.u32 [%rd4], %r4;", past = "past:\n";
  EXPECT_EQ(severities("", store, ""), std::set{Severity::Warning});
  EXPECT_EQ(severities(half, store, past), std::set{Severity::Warning});
  EXPECT_EQ(severities("", "@%p1 " + store, ""), std::set{Severity::Warning});
  EXPECT_EQ(severities("", "bar.warp.sync 0xffffffff; " + store, ""), std::set<Severity>{});
  // Lanes of the other arm, which may come first.
  const std::string others = "bra done;\npast: st.global.u32 [%rd4+-64], %r3;\ndone:\n";
  EXPECT_TRUE(severities(half, store, others).contains(Severity::Error));
}

// Lanes that store sums in another order to one address, as Triton's do that give a value to all.
TEST(Machine, sums_that_differ_by_rounding_are_no_race_where_a_launch_hangs) {
  const std::string sums =
      "mov.f32 %f1, 0f3FB3988B; mov.f32 %f2, 0f4062B510; mov.f32 %f3, 0f4052A50D; and.b32 %r5, %r2, 1; setp.eq.u32 "
      "%p3, %r5, 0;\n"
      "add.f32 %f4, %f1, %f2; add.f32 %f4, %f4, %f3; add.f32 %f5, %f2, %f3; add.f32 %f5, %f1, %f5;\n"
      "selp.f32 %f6, %f4, %f5, %p3; setp.lt.u32 %p3, %r2, 32; @%p3 st.shared.f32 [s], %f6; bar.sync 0;\n"
      "ld.shared.f32 %f7, [s]; st.global.f32 [%rd1+4], %f7; bar.sync 0;\n";
  EXPECT_EQ(rules_of(launch_of(sums)), std::vector<Rule>{});
  EXPECT_EQ(rules_of(launch_of(sums + looks_for_all)), std::vector{Rule::Hang});
}

// The same in a row of stmatrix, and of two short floats in a word; integers are none of these.
TEST(Machine, copies_of_floats_in_words_may_differ_by_rounding) {
  const auto words = [](const std::string& even, const std::string& odd, const std::string& store) {
    return rules_of(launch_of(
        "{ .shared .align 16 .b8 m[16]; .reg .b32 %a; and.b32 %r5, %r2, 4; setp.eq.u32 %p3, %r5, 0; mov.u32 %a, m;\n"
        "mov.b32 %r3, " +
        even + "; mov.b32 %r4, " + odd + "; selp.b32 %r6, %r3, %r4, %p3; setp.lt.u32 %p3, %r2, 32;\n" + store +
        " bar.sync 0; ld.shared.b32 %r7, [%a]; st.global.b32 [%rd1+4], %r7; }\n"));
  };
  const std::string row = "@!%p3 bra past; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%r6}; past:";
  const std::string word = "@%p3 st.shared.b32 [%a], %r6;";
  for (const std::string& store : {row, word}) {
    EXPECT_EQ(words("0x40b3988b", "0x40b3988c", store), std::vector<Rule>{}) << store;
    EXPECT_EQ(words("0x40b39880", "0x40b39c80", store), std::vector{Rule::SharedRace}) << store;
    EXPECT_EQ(words("0x3f80bf13", "0x3f81bf12", store), std::vector<Rule>{}) << store;  // bf16
  }
  EXPECT_EQ(words("0x0000012c", "0x0000012d", word), std::vector{Rule::SharedRace});
}

TEST(Machine, what_was_found_before_a_launch_was_stopped_is_reported) {
  const std::string text =
      "st.global.u32 [%rd3], %r1; setp.ne.u32 %p1, %r2, 0;\n"
      "again: @%p1 bra met; atom.global.add.u32 %r3, [%rd1], 1; st.shared.u32 [s], %r3;\n"
      "met: bar.sync 0; ld.shared.u32 %r4, [s]; bar.sync 0; setp.ne.u32 %p2, %r4, 0xffffffff; @%p2 bra again;\n";
  const Launch launch = launch_of(text, threads);
  RunOptions options;
  options.seconds = 0.5;
  const Outcome outcome = run(launch, options);
  EXPECT_EQ(outcome.kind, OutcomeKind::NotRun);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::OutOfBoundsWrite);
}

TEST(Machine, runs_an_entry_that_is_not_there_never) {
  EXPECT_THROW(run(integer_launch("calls.ptx", "no_such_entry", 0)), std::exception);
}

}  // namespace
}  // namespace ropewalk
