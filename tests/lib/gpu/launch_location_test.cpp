// Launches that name their device and their stream, against the stand-in driver.
#include <gtest/gtest.h>

#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"
#include "tests/lib/gpu/stand_in.h"

namespace ropewalk {
namespace {

class LaunchLocations : public StandIn {
 protected:
  void SetUp() override {
    StandIn::SetUp();
    set("ROPEWALK_STAND_IN_DEVICES", "2");
  }
  static Outcome run(const LaunchLocation& location) {
    Launch launch = healthy();
    launch.location = location;
    return gpu::make_gpu()->run(launch, {});
  }
};

TEST_F(LaunchLocations, every_device_and_every_stream_runs_it) {
  using Stream = LaunchLocation::Stream;
  for (const LaunchLocation& location :
       {LaunchLocation{}, LaunchLocation{.device = 0}, LaunchLocation{.device = 1},
        LaunchLocation{.device = 1, .current_device = 1}, LaunchLocation{.device = 1, .stream_device = 1},
        LaunchLocation{.stream = Stream::Default}, LaunchLocation{.device = 1, .stream = Stream::Default},
        LaunchLocation{.device = 1, .stream = Stream::PerThread}}) {
    const Outcome outcome = run(location);
    EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
  }
}

TEST_F(LaunchLocations, on_device_1_while_device_0_is_current) {
  const Outcome outcome = run({.device = 1, .current_device = 0});
  ASSERT_EQ(outcome.kind, OutcomeKind::Found) << outcome.reason;
  EXPECT_EQ(outcome.findings[0].rule, Rule::IllegalAddress);
  EXPECT_NE(outcome.findings[0].message.find("the tensors lie on device 1, the context of device 0 was current"),
            std::string::npos)
      << outcome.findings[0].message;
}

TEST_F(LaunchLocations, on_a_stream_of_another_device) {
  const Outcome outcome = run({.device = 1, .stream_device = 0});
  ASSERT_EQ(outcome.kind, OutcomeKind::Found) << outcome.reason;
  EXPECT_EQ(outcome.findings[0].rule, Rule::LaunchFailed);
  EXPECT_NE(outcome.findings[0].message.find("cuLaunchKernel failed with CUDA_ERROR_INVALID_HANDLE (400)"),
            std::string::npos)
      << outcome.findings[0].message;
  EXPECT_NE(outcome.findings[0].message.find("the tensors lie on device 1, the stream is device 0's"),
            std::string::npos)
      << outcome.findings[0].message;
}

TEST_F(LaunchLocations, a_device_that_is_not_there) {
  const Outcome outcome = run({.device = 2});
  EXPECT_EQ(outcome.kind, OutcomeKind::NotRun);
  EXPECT_EQ(outcome.reason, "no device 2: there are 2");
}

// The number in the environment is for launches that name no device.
TEST_F(LaunchLocations, the_environment_does_not_overrule_the_launch) {
  set("ROPEWALK_CUDA_DEVICE", "1");
  EXPECT_EQ(run({}).kind, OutcomeKind::Agreed);
  EXPECT_EQ(run({.stream_device = 0}).findings.at(0).rule, Rule::LaunchFailed);
  EXPECT_EQ(run({.device = 0, .stream_device = 0}).kind, OutcomeKind::Agreed);
}

TEST_F(LaunchLocations, rewritten_kernels_run_there_too) {
  Launch launch = check("read_global_past_the_end");
  launch.location = {.device = 1};
  const Outcome outcome = gpu::make_instrumented(gpu::make_gpu())->run(launch, {});
  ASSERT_FALSE(outcome.findings.empty()) << outcome.reason;
  EXPECT_EQ(outcome.findings[0].rule, Rule::OutOfBoundsRead);
}

TEST_F(LaunchLocations, the_machine_says_that_it_has_one_memory) {
  Launch launch = healthy();
  EXPECT_TRUE(machine::make_machine()->run(launch, {}).notes.empty());
  launch.location = {.device = 1, .current_device = 0};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  EXPECT_EQ(outcome.kind, OutcomeKind::Agreed);
  ASSERT_EQ(outcome.notes.size(), 1u);
  EXPECT_EQ(outcome.notes[0], "the machine has one memory: the device and the stream of a launch are not looked at");
}

}  // namespace
}  // namespace ropewalk
