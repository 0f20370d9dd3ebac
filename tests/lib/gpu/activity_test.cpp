// A device's own records of launches, from the stand-in for CUPTI: they come into the outcome where they fit the
// launch.
#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/gpu/activity_layout.h"
#include "lib/gpu/gpu.h"
#include "lib/launch/launch_file.h"

namespace {

ropewalk::gpu::cupti::KernelRecord the_record;
bool has_record = false;

}  // namespace

// What the stand-in for CUPTI gives out.
extern "C" bool stand_in_kernel_record(ropewalk::gpu::cupti::KernelRecord* record) {
  *record = the_record;
  return has_record;
}

namespace ropewalk {
namespace {

class Activity : public testing::Test {
 protected:
  void SetUp() override {
    setenv("ROPEWALK_CUDA_DRIVER", "self", 1);
    setenv("ROPEWALK_CUDA_ACTIVITY", "1", 1);
    setenv("ROPEWALK_CUPTI", ROPEWALK_BINARY_DIR "/tests/libstand_in_cupti.so", 1);
    the_record = {};
    the_record.kind = u32(gpu::cupti::concurrent_kernel_activity);
    the_record.registers = 24;
    the_record.start = 1000;
    the_record.end = 4000;
    the_record.stream = 13;
    the_record.static_shared_bytes = 128;
    the_record.local_bytes = 16;
    the_record.dynamic_shared_bytes = u32(launch.dynamic_shared_bytes);
    for (u32 n = 0; n < 3; ++n) {
      the_record.grid[n] = (&launch.grid.x)[n];
      the_record.block[n] = (&launch.block.x)[n];
    }
    the_record.name = launch.entry.c_str();
    has_record = true;
  }
  void TearDown() override {
    for (const char* name :
         {"ROPEWALK_CUDA_DRIVER", "ROPEWALK_CUDA_ACTIVITY", "ROPEWALK_CUPTI", "ROPEWALK_STAND_IN_CUPTI_VERSION"})
      unsetenv(name);
  }
  Outcome run() const { return gpu::make_gpu()->run(launch, {}); }

  Launch launch = read_launch_file("tests/data/machine/checks/store_pairs_at_0.json");
};

TEST_F(Activity, ComesIntoTheOutcome) {
  const Outcome outcome = run();
  ASSERT_EQ(outcome.device_runs.size(), 1u) << outcome.no_device_runs << outcome.reason;
  const DeviceRun& run = outcome.device_runs[0];
  EXPECT_EQ(run.kernel, launch.entry);
  EXPECT_EQ(run.grid, launch.grid);
  EXPECT_EQ(run.registers, 24u);
  EXPECT_EQ(run.static_shared_bytes, 128u);
  EXPECT_EQ(run.local_bytes, 16u);
  EXPECT_EQ(run.stream, 13u);
  EXPECT_EQ(run.end_ns - run.start_ns, 3000u);
  EXPECT_EQ(outcome.no_device_runs, "");
}

TEST_F(Activity, IsNotAskedForUnlessWanted) {
  unsetenv("ROPEWALK_CUDA_ACTIVITY");
  const Outcome outcome = run();
  EXPECT_TRUE(outcome.device_runs.empty());
  EXPECT_EQ(outcome.no_device_runs, "");
}

TEST_F(Activity, ARecordThatDoesNotFitTheLaunchIsNotBelieved) {
  the_record.grid[0] += 1;
  const Outcome outcome = run();
  EXPECT_TRUE(outcome.device_runs.empty());
  EXPECT_NE(outcome.no_device_runs.find("does not fit the launch"), std::string::npos) << outcome.no_device_runs;
}

TEST_F(Activity, WhatIsMissingIsSaid) {
  has_record = false;
  EXPECT_EQ(run().no_device_runs, "CUPTI gave no record of the kernel");
  setenv("ROPEWALK_STAND_IN_CUPTI_VERSION", "8", 1);
  EXPECT_EQ(run().no_device_runs, "this CUPTI (version 8) is older than CUDA 8");
  setenv("ROPEWALK_CUPTI", "no_such_library.so", 1);
  EXPECT_EQ(run().no_device_runs.find("CUPTI cannot be opened (tried no_such_library.so)"), 0u);
  EXPECT_NE(run().kind, OutcomeKind::NotRun);
}

}  // namespace
}  // namespace ropewalk
