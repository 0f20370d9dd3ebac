// The process that runs launches: how long it stays, and what ends it.
#include "lib/gpu/worker.h"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "kernels/kernels.h"
#include "lib/families/families.h"
#include "lib/gpu/gpu.h"
#include "lib/machine/machine.h"
#include "tests/lib/gpu/stand_in.h"

namespace ropewalk {
namespace {

class Workers : public StandIn {
 protected:
  static constexpr double seconds = 60;
  using Stage = gpu::JobState::Stage;

  gpu::Worker worker_;

  Stage run(const Launch& launch) {
    gpu::Job job(launch, 0, gpu::Guards::End);
    worker_.run(job, seconds);
    return job.state().stage;
  }
};

TEST_F(Workers, OneProcessRunsManyLaunches) {
  EXPECT_EQ(worker_.process(), -1);
  EXPECT_EQ(run(healthy()), Stage::Done);
  const pid_t first = worker_.process();
  EXPECT_GT(first, 0);
  for (const char* problem :
       {"rotary(B=2,T=5,H=3,D=16)", "rotary(T=9,H=2,D=32,dtype=bf16)", "rotary(B=2,T=5,H=3,D=16)"}) {
    const Launch launch = kernels::kernel_named("rotary/apply").launch(families::parse_problem(problem));
    gpu::Job job(launch, 0, gpu::Guards::End);
    worker_.run(job, seconds);
    ASSERT_EQ(job.state().stage, Stage::Done) << job.state().text;
    const Outcome machine = machine::make_machine()->run(launch, {});
    for (u32 n = 0; n < launch.tensors.size(); ++n) {
      EXPECT_EQ(std::memcmp(job.tensor(n), machine.tensors[n].bytes, launch.tensors[n].bytes()), 0) << problem;
    }
    EXPECT_EQ(worker_.process(), first);
  }
}

TEST_F(Workers, AFaultEndsTheProcessAndTheNextLaunchKnowsNothingOfIt) {
  EXPECT_EQ(run(healthy()), Stage::Done);
  EXPECT_EQ(run(check("read_through_null")), Stage::Failed);
  EXPECT_EQ(worker_.process(), -1);
  EXPECT_EQ(run(healthy()), Stage::Done);
  EXPECT_GT(worker_.process(), 0);
}

// A process that records kernels has one launch; the next one is not sent to it while it ends.
TEST_F(Workers, ALaunchThatIsRecordedHasAProcessOfItsOwn) {
  set("ROPEWALK_CUDA_ACTIVITY", "1");
  for (u32 n = 0; n < 4; ++n) {
    EXPECT_EQ(run(healthy()), Stage::Done);
    EXPECT_EQ(worker_.process(), -1);
  }
}

TEST_F(Workers, AProcessThatDiesIsReplaced) {
  EXPECT_EQ(run(healthy()), Stage::Done);
  kill(worker_.process(), SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, id_t(worker_.process()), &ended, WEXITED | WNOWAIT);
  EXPECT_EQ(run(healthy()), Stage::Done);
  set("ROPEWALK_STAND_IN_FAIL", "cuLaunchKernel:die");
  gpu::Worker other;
  gpu::Job job(healthy(), 0, gpu::Guards::End);
  EXPECT_NE(other.run(job, seconds).signal, 0);
  EXPECT_EQ(job.state().stage, Stage::Waiting);
  EXPECT_EQ(other.process(), -1);
}

TEST_F(Workers, ALaunchThatTakesTooLongIsStopped) {
  set("ROPEWALK_STAND_IN_FAIL", "cuStreamSynchronize:hang");
  gpu::Job job(healthy(), 0, gpu::Guards::End);
  const gpu::ChildEnd end = worker_.run(job, 0.3);
  EXPECT_FALSE(end.in_time);
  EXPECT_EQ(worker_.process(), -1);
}

// As when somebody presses Ctrl-C and the campaign wants its last cases.
TEST_F(Workers, SignalsToThisProcessDoNotDisturb) {
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Stage stage = run(healthy());
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(stage, Stage::Done);
}

TEST_F(Workers, ARequestComesAcrossAsItWas) {
  Launch launch = healthy();
  launch.tensors[0].pointers.push_back({8, 1, "", -4});
  launch.variables.push_back({"some", std::vector<std::byte>(5, std::byte(7)), {{0, -1, "other", 3}}, -1});
  launch.location.device = 3;
  const gpu::DeviceRequest one = gpu::request_of(launch), other = gpu::request_in(gpu::bytes_of(one));
  EXPECT_EQ(gpu::bytes_of(other), gpu::bytes_of(one));
  EXPECT_EQ(other.text, one.text);
  EXPECT_EQ(other.location, launch.location);
  EXPECT_EQ(other.tensors.at(0).pointers.back().offset, -4);
  EXPECT_EQ(other.variables.at(0).pointers.at(0).variable, "other");
  EXPECT_EQ(other.parameters.size(), launch.module->entry(launch.entry)->parameter_count);
}

}  // namespace
}  // namespace ropewalk
