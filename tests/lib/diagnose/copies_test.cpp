// Asynchronous copies to shared memory that are read before they are complete, or that start too early.
#include <gtest/gtest.h>

#include "lib/diagnose/diagnose.h"
#include "lib/machine/machine.h"
#include "tests/lib/diagnose/races_of.h"

namespace ropewalk::diagnose {
namespace {

// 32 threads copy to shared memory, and 32 read it after a wait; `again`: it is filled again before they have read.
std::vector<Cause> causes_of_copies(const std::string& arrive, const std::string& again, const std::string& wait) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out) {
.reg .b32 %r<10>; .reg .b64 %rd<8>; .reg .pred %p<4>;
.shared .align 8 .b64 full; .shared .align 16 .b8 tile[128];
mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, full;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [out];
setp.ne.u32 %p1, %r1, 0; @%p1 bra begin;
mbarrier.init.shared.b64 [%r3], 32;
begin:
bar.sync 0;
setp.ge.u32 %p2, %r1, 32; @%p2 bra consume;
mad.lo.u32 %r4, %r1, 4, %r2; mad.wide.u32 %rd3, %r1, 4, %rd1;
cp.async.ca.shared.global [%r4], [%rd3], 4;
)" + arrive + again + R"(
bra done;
consume:
)" + wait + R"(
sub.u32 %r5, 63, %r1; mad.lo.u32 %r6, %r5, 4, %r2;
ld.shared.u32 %r7, [%r6];
mad.wide.u32 %rd4, %r5, 4, %rd2; st.global.u32 [%rd4], %r7;
done:
ret;
})";
  return causes_of_races_of(
      launch_of(ptx, {{.name = "x", .dtype = Dtype::I32, .shape = {64}, .strides = {1}, .init = Fill{1}},
                      {.name = "out", .dtype = Dtype::I32, .shape = {32}, .strides = {1}, .output = true}}));
}

TEST(Copies, OneThatAnMbarrierWaitsForHasItsWait) {
  const std::string arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\n";
  const std::string again = "cp.async.ca.shared.global [%r4], [%rd3+128], 4;\n";
  const std::string wait = "again: mbarrier.test_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra again;\n";
  EXPECT_TRUE(causes_of_copies(arrive, "", wait).empty());
  const std::vector<Cause> filled_early = causes_of_copies(arrive, again, wait);
  ASSERT_FALSE(filled_early.empty());
  for (const Cause& cause : filled_early) EXPECT_EQ(cause.id, "");
}

// A copy that was not waited for has no barrier to lack where a thread reads its own. Where another thread reads it
// behind a wait, that is what lacks.
TEST(Copies, OneIsWaitedForByItsOwnThread) {
  const auto causes = [](const std::string& wait, const std::string& address) {
    std::set<std::string> ids;
    for (const Cause& cause : causes_of_races_of(launch_of_body(
             "st.shared.u32 [%r3], 0; bar.sync 0;\n.loc 1 3 1\ncp.async.ca.shared.global [%r3], [%rd3], 4;\n"
             "cp.async.commit_group;\n.loc 1 4 1\n" +
             wait + "\n.loc 1 5 1\nld.shared.u32 %r8, [" + address + "];\nst.global.u32 [%rd3], %r8;\n")))
      if (!cause.id.empty()) ids.insert(cause.id);  // the store may come before the copy has read
    return ids;
  };
  using Ids = std::set<std::string>;
  EXPECT_EQ(causes("cp.async.wait_group 0;", "%r3"), Ids());
  EXPECT_EQ(causes("cp.async.wait_group 1;", "%r3"), Ids{"missing-copy-wait"});
  EXPECT_EQ(causes("cp.async.wait_group 0; bar.sync 0;", "%r4"), Ids());
  EXPECT_EQ(causes("cp.async.wait_group 0;", "%r4"), Ids{"missing-barrier"});
  EXPECT_EQ(causes("cp.async.wait_group 0; bar.warp.sync -1;", "%r4"), Ids{"missing-barrier"});
}

// A buffer that is given back before the other has read it: each thread has waited for its own copies.
TEST(Copies, OneThatComesTooEarlyHasItsWait) {
  const auto ring = [](const std::string& again) {
    return "st.shared.u32 [%r3], 0; bar.sync 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra consume;\n"
           "cp.async.ca.shared.global [%r3], [%rd3], 4; cp.async.wait_all;\n"
           "membar.cta; st.volatile.shared.u32 [%r3+128], 1;\n" +
           again +
           "bra done;\nconsume: ld.volatile.shared.u32 %r8, [%r3]; setp.eq.u32 %p2, %r8, 0; @%p2 bra consume;\n"
           "membar.cta; ld.shared.u32 %r8, [%r3-128]; st.global.u32 [%rd3], %r8;\ndone:\n";
  };
  EXPECT_EQ(causes_of_body(ring("")), Texts());
  EXPECT_EQ(causes_of_body(ring("cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.wait_all;\n")), Texts{""});
}

// A tile that nobody has written before: the read of it tells of the copy that is under way, its own or another's.
TEST(Copies, OneIntoWhatNobodyWroteIsNotWaitedFor) {
  const auto findings_of = [](const std::string& body, u32 blocks) {
    const Launch launch = launch_of_body(body + "st.global.u32 [%rd3], %r8;\n", blocks);
    std::vector<Finding> findings = machine::make_machine()->run(launch, {}).findings;
    diagnose(findings, launch);
    std::erase_if(findings, [](const Finding& it) { return it.rule != Rule::UninitializedRead; });
    return findings;
  };
  const std::string copy = "cp.async.ca.shared.global [%r3], [%rd3], 4; cp.async.commit_group;\n",
                    wait = "cp.async.wait_group 0;\n", barrier = "bar.sync 0;\n", own = "ld.shared.u32 %r8, [%r3];\n",
                    other = "ld.shared.u32 %r8, [%r4];\n";
  for (const u32 blocks : {1, 3}) {
    EXPECT_TRUE(findings_of(copy + wait + barrier + other, blocks).empty());
    EXPECT_TRUE(findings_of(copy + wait + own, blocks).empty());
    for (const std::string& body : {copy + barrier + other, copy + own}) {
      const std::vector<Finding> findings = findings_of(body, blocks);
      ASSERT_EQ(findings.size(), 1u);
      EXPECT_EQ(findings[0].rule, Rule::UninitializedRead);
      EXPECT_TRUE(
          findings[0].message.ends_with("that nobody had written: a cp.async into these bytes has not been waited for"))
          << findings[0].message;
      ASSERT_TRUE(findings[0].cause);
      EXPECT_EQ(findings[0].cause->id, "missing-copy-wait");
    }
  }
  // No copy leads there.
  const std::vector<Finding> findings = findings_of(own, 1);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].message.ends_with("that nobody had written"));
  EXPECT_FALSE(findings[0].cause || findings[0].other_location);
}

// A wait for groups does not wait for a copy that is in none.
TEST(Copies, OneThatWasNeverCommittedIsNamed) {
  const std::string copy = "cp.async.ca.shared.global [%r3], [%rd3], 4;\n", commit = "cp.async.commit_group;\n",
                    wait = "cp.async.wait_group 0;\n", end = "ld.shared.u32 %r8, [%r3]; st.global.u32 [%rd3], %r8;\n",
                    group = "cp.async.ca.shared.global [%r9], [%rd2], 4;\n" + commit;
  const auto cause_of = [&](const std::string& body) {
    const Launch launch = launch_of_body(".shared .align 4 .b8 other[256]; mov.u32 %r9, other;\n" + body + end, 1);
    std::vector<Finding> findings = machine::make_machine()->run(launch, {}).findings;
    diagnose(findings, launch);
    std::erase_if(findings, [](const Finding& it) { return !it.cause; });
    return findings.empty() ? Cause() : *findings[0].cause;
  };
  const auto is_called_uncommitted = [](const Cause& cause) {
    return cause.id == "missing-copy-wait" && cause.text.ends_with("it was never committed") &&
           cause.advice.starts_with("put cp.async.commit_group");
  };
  EXPECT_EQ(cause_of(copy + commit + wait).id, "");
  EXPECT_EQ(cause_of(copy + "cp.async.wait_all;\n").id, "");
  EXPECT_TRUE(is_called_uncommitted(cause_of(copy + wait)));
  EXPECT_TRUE(is_called_uncommitted(cause_of(group + copy + wait)));
  EXPECT_TRUE(cause_of(group + copy + wait).evidence.at(1).starts_with("cp.async.wait_group 0 (PTX line "));
  // It is committed, after the wait or on one way to it; the wait leaves its group open.
  for (const std::string& body :
       {copy + wait + commit, copy + "setp.ge.u32 %p1, %r1, 100; @!%p1 bra on;\n" + commit + "on:\n" + wait,
        copy + commit + "cp.async.wait_group 1;\n"}) {
    const Cause cause = cause_of(body);
    EXPECT_EQ(cause.id, "missing-copy-wait") << body;
    EXPECT_FALSE(is_called_uncommitted(cause)) << body;
  }
  EXPECT_TRUE(cause_of(copy).advice.starts_with("commit the copy (cp.async.commit_group), wait until"));
}

// In each round a thread waits for its copy, meets the others, reads what another one copied, and starts the copy of
// the next tile into the same bytes. `early`: before it reads; `left`: groups that may stay open.
std::string rounds_of_copies(bool early, bool has_barrier, u32 left) {
  const std::string copy = "cp.async.ca.shared.global [%r9], [%rd3], 4; cp.async.commit_group;\n";
  const std::string next =
      "@%p2 bra PAST; mov.u32 %r9, %r3; cp.async.ca.shared.global [%r9], [%rd4], 4;\nPAST:\n"
      "cp.async.commit_group;\n";
  const auto label = [&](std::string text, const std::string& name) {
    for (std::size_t at; (at = text.find("PAST")) != text.npos;) text.replace(at, 4, name);
    return text;
  };
  const std::string read = "ld.shared.u32 %r8, [%r4]; add.u32 %r7, %r7, %r8;\n";
  std::string text = "st.shared.u32 [%r3], 5; bar.sync 0; mov.u32 %r9, %r3;\n" + copy +
                     "mov.u32 %r6, 0;\nagain: setp.ge.u32 %p2, %r6, 3;\n" + "cp.async.wait_group " +
                     std::to_string(left) + "; bar.sync 0;\n";
  text += early ? label(next, "early") + read : read + (has_barrier ? "bar.sync 0;\n" : "") + label(next, "late");
  return text +
         "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 4; @%p1 bra again;\ncp.async.wait_group 0; bar.sync 0; "
         "st.global.u32 [%rd4], %r7;\n";
}

TEST(Copies, OneThatStartsTooEarlyIsToldFromOneThatIsNotWaitedFor) {
  const auto ids_of = [](const std::string& body, u32 blocks) {
    std::set<std::string> ids;
    for (const Cause& cause : causes_of_races_of(launch_of_body(body, blocks))) ids.insert(cause.id);
    return ids;
  };
  using Ids = std::set<std::string>;
  for (const u32 blocks : {1, 3}) {
    EXPECT_EQ(ids_of(rounds_of_copies(false, true, 0), blocks), Ids());
    EXPECT_EQ(ids_of(rounds_of_copies(true, true, 0), blocks), Ids{"copy-too-early"});
    EXPECT_EQ(ids_of(rounds_of_copies(false, false, 0), blocks), Ids{"missing-barrier"});
    // The next copy, too, which meets the one that is still under way.
    EXPECT_EQ(ids_of(rounds_of_copies(false, true, 1), blocks), Ids{"missing-copy-wait"});
  }
}

}  // namespace
}  // namespace ropewalk::diagnose
