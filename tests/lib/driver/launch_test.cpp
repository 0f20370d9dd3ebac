#include "lib/driver/launch.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/bits.h"
#include "lib/launch/launch_file.h"
#include "tests/lib/driver/session_fixture.h"

namespace ropewalk::driver {
namespace {

using Rules = std::vector<Rule>;
using DriverLaunch = SessionTest;

TEST_F(DriverLaunch, RunsOnTheMemoryItself) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.5f));
  Allocation* const y = memory(400);
  int n = 100;
  EXPECT_EQ(run("scale", 1, 128, {&x->address, &y->address, &n}), Result::Success);
  EXPECT_EQ(reinterpret_cast<float*>(y->data)[99], 3.0f);
  EXPECT_TRUE(all_bits(y->initialized, 0, 400));
  EXPECT_TRUE(found.empty());
}

TEST_F(DriverLaunch, WhatNobodyWroteIsFoundWhereItMatters) {
  Allocation* const x = memory(400);
  Allocation* const y = memory(400);
  int n = 100;
  std::vector<float> got(100);
  const auto copy_back = [&] {
    session.memory().copy({.to = {u64(got.data())}, .from = {y->address}, .bytes = 400}, "cuMemcpyDtoH");
  };
  EXPECT_EQ(run("scale", 1, 128, {&x->address, &y->address, &n}), Result::Success);
  EXPECT_TRUE(found.empty());
  copy_back();
  EXPECT_EQ(rules(), Rules{Rule::UninitializedRead});
  const std::vector<float> zeros(100);
  session.memory().copy({.to = {x->address}, .from = {u64(zeros.data())}, .bytes = 400}, "cuMemcpyHtoD");
  EXPECT_EQ(run("scale", 1, 128, {&x->address, &y->address, &n}), Result::Success);
  copy_back();
  EXPECT_TRUE(found.empty());
}

TEST_F(DriverLaunch, AnOverrunNeverReachesANeighbour) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory_of(std::vector<float>(100, 7.0f));
  int n = 101;
  EXPECT_EQ(run("scale", 1, 128, {&y->address, &x->address, &n}), Result::Success);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].access->tensor, "argument0");
  EXPECT_EQ(found[0].access->shape, std::vector<i64>{100});
  EXPECT_EQ(found[0].access->dtype, "f32");
  EXPECT_EQ(rules(), (Rules{Rule::OutOfBoundsRead, Rule::OutOfBoundsWrite}));
  EXPECT_EQ(reinterpret_cast<float*>(y->data)[0], 7.0f);
}

TEST_F(DriverLaunch, AFindingSaysWhereMemoryWasMadeAndFreed) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  session.memory().release(y->address, MemoryKind::Device, "cuMemFree");
  int n = 100;
  EXPECT_EQ(run("scale", 1, 128, {&x->address, &y->address, &n}), Result::Success);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, Rule::UseAfterFree);
  std::string evidence;
  for (const std::string& line : found[0].evidence) evidence += line + "\n";
  EXPECT_NE(evidence.find("launch 1 of the kernel"), std::string::npos) << evidence;
  EXPECT_NE(evidence.find("cuMemAlloc), made at"), std::string::npos) << evidence;
  EXPECT_NE(evidence.find("freed by cuMemFree at"), std::string::npos) << evidence;
}

TEST_F(DriverLaunch, VariablesLiveAsLongAsTheirModule) {
  for (int n = 0; n < 3; ++n) EXPECT_EQ(run("count", 1, 1, {}), Result::Success);
  Allocation* launches = nullptr;
  ASSERT_EQ(find_variable(session, *module, "launches", &launches), Result::Success);
  EXPECT_EQ(*reinterpret_cast<u32*>(launches->data), 8u);
  const float factor = 3;
  Allocation* constant = nullptr;
  ASSERT_EQ(find_variable(session, *module, "factor", &constant), Result::Success);
  session.memory().copy({.to = {constant->address}, .from = {u64(&factor)}, .bytes = 4}, "cuMemcpyHtoD");
  Allocation* const x = memory_of(std::vector<float>{1});
  Allocation* const y = memory(4);
  int n = 1;
  EXPECT_EQ(run("scale", 1, 32, {&x->address, &y->address, &n}), Result::Success);
  EXPECT_EQ(*reinterpret_cast<float*>(y->data), 3.0f);
  EXPECT_TRUE(found.empty());
}

TEST_F(DriverLaunch, PointersInMemoryLeadToAnyAllocation) {
  Allocation* const value = memory_of(std::vector<u32>{42});
  Allocation* const pointers = memory_of(std::vector<u64>{value->address});
  Allocation* const y = memory(4);
  EXPECT_EQ(run("follow", 1, 1, {&pointers->address, &y->address}), Result::Success);
  EXPECT_EQ(*reinterpret_cast<u32*>(y->data), 42u);
  EXPECT_TRUE(found.empty());
  session.memory().release(value->address, MemoryKind::Device, "cuMemFree");
  run("follow", 1, 1, {&pointers->address, &y->address});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, Rule::UseAfterFree);
  EXPECT_NE(found[0].message.find("allocation"), std::string::npos) << found[0].message;
}

TEST_F(DriverLaunch, PointersInMemoryLeadToMemoryOfTheHost) {
  u32 value = 43;
  session.memory().lend(&value, sizeof value, "test");
  Allocation* const pointers = memory_of(std::vector<u64>{u64(&value)});
  Allocation* const y = memory(4);
  EXPECT_EQ(run("follow", 1, 1, {&pointers->address, &y->address}), Result::Success);
  EXPECT_EQ(*reinterpret_cast<u32*>(y->data), 43u);
  EXPECT_TRUE(found.empty());
}

TEST_F(DriverLaunch, StructsByValueHavePointers) {
  Allocation* const y = memory(16);
  struct {
    u64 y;
    u32 value, index;
  } all{y->address, 9, 3};
  EXPECT_EQ(run("packed", 1, 1, {&all}), Result::Success);
  EXPECT_EQ(reinterpret_cast<u32*>(y->data)[3], 9u);
  EXPECT_TRUE(found.empty());
  all.index = 4;
  EXPECT_EQ(run("packed", 1, 1, {&all}), Result::Success);
  EXPECT_EQ(rules(), Rules{Rule::OutOfBoundsWrite});
}

TEST_F(DriverLaunch, AnAddressInNoMemoryIsAFinding) {
  Allocation* const x = memory_of(std::vector<float>{1});
  u64 nowhere = 0x1000;
  int n = 1;
  EXPECT_EQ(run("scale", 1, 32, {&x->address, &nowhere, &n}), Result::Success);
  EXPECT_EQ(rules(), Rules{Rule::OutOfBoundsWrite});
}

TEST_F(DriverLaunch, ATrapBreaksTheContext) {
  EXPECT_EQ(run("fail", 1, 1, {}), Result::Success);
  EXPECT_EQ(context().error, Result::LaunchFailed);
  EXPECT_EQ(rules(), Rules{Rule::DeviceAssert});
}

TEST_F(DriverLaunch, WhatNoDeviceTakesIsRefused) {
  EXPECT_EQ(run("count", 1, 2048, {}), Result::InvalidValue);
  EXPECT_EQ(context().error, Result::Success);
  for (const Rule rule : rules()) EXPECT_EQ(rule, Rule::LaunchLimit);
}

TEST_F(DriverLaunch, NamesAndShapesAreTheProgramsOwn) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  int n = 101;
  LaunchRequest wrong = request("scale", 1, 128, {&x->address, &y->address, &n});
  wrong.names = {"x", "out", "n"};
  wrong.views = {{0, x->address, Dtype::F32, {10, 10}, {10, 1}}, {1, y->address, Dtype::F32, {100}, {1}}};
  wrong.stack = {"forward (model.py:12)", "main (train.py:40)"};
  EXPECT_EQ(launch(session, wrong), Result::Success);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].access->tensor, "x");
  EXPECT_EQ(found[0].access->shape, (std::vector<i64>{10, 10}));
  EXPECT_EQ(found[1].access->tensor, "out");
  EXPECT_EQ(found[0].evidence[1], "launched at forward (model.py:12)");
  EXPECT_EQ(found[0].evidence[2], "  called by main (train.py:40)");
}

TEST_F(DriverLaunch, OutsideOfAViewButInItsStorageIsAWarning) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  int n = 50;
  LaunchRequest part = request("scale", 1, 64, {&x->address, &y->address, &n});
  part.views = {{0, x->address, Dtype::F32, {50}, {1}}};
  EXPECT_EQ(launch(session, part), Result::Success);
  EXPECT_TRUE(found.empty());
  n = 51;
  part = request("scale", 1, 64, {&x->address, &y->address, &n});
  part.views = {{0, x->address, Dtype::F32, {50}, {1}}};
  EXPECT_EQ(launch(session, part), Result::Success);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(rules(), Rules{Rule::IndexOutOfField});
}

TEST_F(DriverLaunch, AViewWithRepeatedElementsSaysNotWhatIsRead) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  const auto launch_with = [&](int n, const TensorView& view) {
    LaunchRequest part = request("scale", 1, 128, {&x->address, &y->address, &n});
    part.views = {view};
    EXPECT_EQ(launch(session, part), Result::Success);
  };
  launch_with(60, {0, x->address, Dtype::F32, {10, 7}, {5, 0}});
  launch_with(60, {0, x->address, Dtype::F32, {7, 50}, {0, 1}});
  EXPECT_TRUE(found.empty());
  launch_with(60, {0, x->address, Dtype::F32, {1, 50}, {0, 1}});
  EXPECT_EQ(rules(), Rules{Rule::IndexOutOfField});
  found.clear();
  launch_with(101, {0, x->address, Dtype::F32, {7, 50}, {0, 1}});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, Rule::OutOfBoundsRead);
}

TEST_F(DriverLaunch, ElementsOfAViewAreCountedInItsStorage) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  int n = 51;
  u64 begin = x->address + 80;
  LaunchRequest part = request("scale", 1, 64, {&begin, &y->address, &n});
  part.names = {"x", "y", "n"};
  part.views = {{0, begin, Dtype::F32, {50}, {1}}};
  EXPECT_EQ(launch(session, part), Result::Success);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message.substr(0, 38), "reads x.storage[70], which is not in x");
  EXPECT_NE(std::ranges::find(found[0].evidence, "x begins at x.storage[20]"), found[0].evidence.end());
}

TEST_F(DriverLaunch, UnloadingAModuleEndsItsKernelsAndVariables) {
  const LaunchRequest count = request("count", 1, 1, {});
  EXPECT_TRUE(session.kernels.contains(count.kernel));
  EXPECT_EQ(launch(session, count), Result::Success);
  context().modules.remove(module);
  EXPECT_TRUE(session.kernels.empty());
  EXPECT_TRUE(session.memory().live().empty());
}

TEST_F(DriverLaunch, ACubinIsKnownByThePtxBesideIt) {
  std::string folder = ::testing::TempDir() + "cache.XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  // The head of an ELF file without sections; what follows is not looked at.
  std::string cubin(64, '\0');
  cubin.replace(0, 4,
                "\x7f"
                "ELF");
  cubin[40] = cubin[58] = 64;
  write_file(folder + "/kernel.cubin", cubin);
  setenv("TRITON_CACHE_DIR", folder.c_str(), 1);
  Module* loaded = nullptr;
  EXPECT_EQ(load_module(session, context(), cubin.c_str(), &loaded), Result::NoBinaryForGpu);
  write_file(folder + "/kernel.ptx", MappedFile(ROPEWALK_SOURCE_DIR "/tests/data/driver/program.ptx").text());
  ASSERT_EQ(load_module(session, context(), cubin.c_str(), &loaded), Result::Success);
  Kernel* kernel = nullptr;
  EXPECT_EQ(find_kernel(session, *loaded, "count", &kernel), Result::Success);
  unsetenv("TRITON_CACHE_DIR");
  std::filesystem::remove_all(folder);
}

struct SomeLaunches : SessionTest {
  static Options options() {
    Options out;
    out.kernels = {"sca*"};
    out.launch_skip = 1;
    out.launch_count = 1;
    return out;
  }
  SomeLaunches() : SessionTest(options()) {}
};

TEST_F(SomeLaunches, AloneAreChecked) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  int n = 101;
  const auto scale = [&] { run("scale", 1, 128, {&x->address, &y->address, &n}); };
  run("count", 1, 1, {});
  scale();
  EXPECT_TRUE(found.empty());
  scale();
  EXPECT_EQ(found.size(), 2u);
  found.clear();
  scale();
  EXPECT_TRUE(found.empty());
}

TEST_F(SomeLaunches, ThatAreNotCheckedWriteMemoryAsOthersDo) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  Allocation* const z = memory(400);
  int n = 100;
  run("scale", 1, 128, {&x->address, &y->address, &n});
  EXPECT_TRUE(all_bits(y->initialized, 0, 400));
  run("scale", 1, 128, {&y->address, &z->address, &n});
  EXPECT_TRUE(found.empty());
}

struct TwoDevices : SessionTest {
  static Options options() {
    Options out;
    out.devices = 2;
    return out;
  }
  TwoDevices() : SessionTest(options()) {}
};

TEST_F(TwoDevices, AKernelOfOneDoesNotTouchMemoryOfTheOther) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = session.memory().allocate({.device = 1, .bytes = 400, .call = "cuMemAlloc"});
  int none = 0, n = 100;
  LaunchRequest idle = request("scale", 1, 128, {&x->address, &y->address, &none});
  LaunchRequest mixed = request("scale", 1, 128, {&x->address, &y->address, &n});
  idle.peers = mixed.peers = &context().peers;
  EXPECT_EQ(launch(session, idle), Result::Success);
  EXPECT_TRUE(found.empty());  // it may have the address
  EXPECT_EQ(launch(session, mixed), Result::Success);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "writes argument1, which lies on device 1; the kernel was launched on device 0, which has no access "
            "to it");
  EXPECT_TRUE(found[0].location);
  EXPECT_EQ(rules(), Rules{Rule::IllegalAddress});
  context().peers.insert(1);
  EXPECT_EQ(launch(session, mixed), Result::Success);
  EXPECT_TRUE(found.empty());
}

struct CapturedLaunches : SessionTest {
  static Options options() {
    Options out;
    std::string folder = ::testing::TempDir() + "captured.XXXXXX";
    out.capture = mkdtemp(folder.data());
    return out;
  }
  CapturedLaunches() : SessionTest(options()) {}
  ~CapturedLaunches() override { std::filesystem::remove_all(session.options().capture); }
};

TEST_F(CapturedLaunches, ShowTheirFindingAgain) {
  Allocation* const x = memory_of(std::vector<float>(100, 1.0f));
  Allocation* const y = memory(400);
  int n = 101;
  EXPECT_EQ(run("scale", 1, 128, {&x->address, &y->address, &n}), Result::Success);
  EXPECT_EQ(run("scale", 1, 128, {&x->address, &y->address, &n}), Result::Success);
  ASSERT_EQ(found.size(), 4u);
  const std::string command = "rope-check launch ";
  ASSERT_TRUE(found[0].replay.starts_with(command)) << found[0].replay;
  EXPECT_EQ(found[1].replay, found[0].replay);
  const Launch again = read_launch_file(found[0].replay.substr(command.size()));
  const Outcome outcome = session.machine().run(again, {});
  ASSERT_EQ(outcome.findings.size(), 2u);
  for (u32 i = 0; i < 2; ++i) {
    EXPECT_EQ(outcome.findings[i].rule, found[i].rule);
    EXPECT_EQ(outcome.findings[i].message, found[i].message);
  }
}

}  // namespace
}  // namespace ropewalk::driver
