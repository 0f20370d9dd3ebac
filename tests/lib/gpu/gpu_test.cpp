// The driver layer against the stand-in driver: results, guard zones, and everything that can go wrong.
#include "lib/gpu/gpu.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/kernels.h"
#include "lib/families/families.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"
#include "tests/lib/gpu/stand_in.h"

namespace ropewalk {
namespace {

class Gpu : public StandIn {
 protected:
  static Outcome run(const Launch& launch, const char* fail = nullptr, double seconds = 20) {
    if (fail) setenv("ROPEWALK_STAND_IN_FAIL", fail, 1);
    RunOptions options;
    options.seconds = seconds;
    Outcome outcome = gpu::make_gpu()->run(launch, options);
    unsetenv("ROPEWALK_STAND_IN_FAIL");
    return outcome;
  }
};

TEST_F(Gpu, says_what_device_there_is) {
  const gpu::DeviceInfo info = gpu::device_info();
  EXPECT_EQ(info.unavailable, "");
  EXPECT_EQ(info.name, "stand-in (the machine)");
  EXPECT_EQ(info.driver, "12.4");
  EXPECT_EQ(info.major, 9);
}

TEST_F(Gpu, says_why_there_is_none) {
  set("ROPEWALK_STAND_IN_DEVICES", "0");
  EXPECT_EQ(gpu::device_info().unavailable, "no device: the driver finds no GPU");
  set("ROPEWALK_STAND_IN_DEVICES", "1");
  set("ROPEWALK_CUDA_DEVICE", "3");
  EXPECT_EQ(gpu::device_info().unavailable, "no device 3: there are 1");
  unsetenv("ROPEWALK_CUDA_DEVICE");
  set("ROPEWALK_CUDA_DRIVER", "no_such_library.so");
  EXPECT_EQ(gpu::device_info().unavailable.find("no driver: "), 0u) << gpu::device_info().unavailable;
  const Outcome outcome = run(healthy());
  EXPECT_EQ(outcome.kind, OutcomeKind::NotRun);
  EXPECT_EQ(outcome.reason.find("no driver: "), 0u) << outcome.reason;
}

TEST_F(Gpu, computes_what_the_machine_computes) {
  for (const char* problem :
       {"rotary(B=2,T=5,H=3,D=16)", "rotary(T=9,H=2,D=32,dtype=bf16)", "rotary(T=4,H=2,D=16,row_gap=8)"}) {
    const Launch launch = kernels::kernel_named("rotary/apply").launch(families::parse_problem(problem));
    const Outcome machine = machine::make_machine()->run(launch, {}), device = run(launch);
    ASSERT_EQ(device.kind, OutcomeKind::Agreed) << device.reason;
    for (u32 n = 0; n < launch.tensors.size(); ++n) {
      if (!launch.tensors[n].output) continue;
      // Gaps hold what was there before.
      const u64 size = size_of(launch.tensors[n].dtype);
      for (u64 at = 0; at + size <= launch.tensors[n].bytes(); at += size) {
        if (machine.tensors[n].initialized && !(machine.tensors[n].initialized[at / 64] >> (at % 64) & 1)) continue;
        ASSERT_EQ(std::memcmp(machine.tensors[n].bytes + at, device.tensors[n].bytes + at, size), 0) << problem << at;
      }
    }
  }
}

TEST_F(Gpu, sees_writes_into_the_guard_zones) {
  const Outcome outcome = run(check("write_global_past_the_end"));
  ASSERT_EQ(outcome.kind, OutcomeKind::Found) << outcome.reason;
  EXPECT_EQ(outcome.findings[0].rule, Rule::OutOfBoundsWrite);
  ASSERT_TRUE(outcome.findings[0].access);
  EXPECT_EQ(outcome.findings[0].access->tensor, "out");
  EXPECT_EQ(outcome.findings[0].access->bytes_past_end, 0);
}

TEST_F(Gpu, what_a_kernel_breaks_is_a_finding_and_the_next_launch_runs) {
  EXPECT_EQ(run(check("read_through_null")).findings.at(0).rule, Rule::IllegalAddress);
  EXPECT_EQ(run(check("store_pairs_at_1")).findings.at(0).rule, Rule::MisalignedAccess);
  EXPECT_EQ(run(check("assert_positive_broken")).findings.at(0).rule, Rule::DeviceAssert);
  EXPECT_EQ(run(check("trap_unless_positive_broken")).findings.at(0).rule, Rule::LaunchFailed);
  EXPECT_EQ(run(healthy()).kind, OutcomeKind::Agreed);
}

TEST_F(Gpu, failures_of_the_driver_are_reported) {
  const Outcome launch = run(healthy(), "cuStreamSynchronize:719");
  ASSERT_EQ(launch.kind, OutcomeKind::Found);
  EXPECT_EQ(launch.findings[0].rule, Rule::LaunchFailed);
  EXPECT_NE(launch.findings[0].message.find("cuStreamSynchronize failed with CUDA_ERROR_LAUNCH_FAILED (719)"),
            std::string::npos)
      << launch.findings[0].message;
  const Outcome died = run(healthy(), "cuLaunchKernel:die");
  ASSERT_EQ(died.kind, OutcomeKind::Found);
  EXPECT_NE(died.findings[0].message.find("its process died of signal 6"), std::string::npos);
  EXPECT_EQ(run(healthy(), "cuStreamSynchronize:701").findings.at(0).rule, Rule::LaunchLimit);
  EXPECT_EQ(run(healthy(), "cuStreamSynchronize:702").findings.at(0).rule, Rule::Hang);
  set("ROPEWALK_STAND_IN_MAPS_NOTHING", "1");
  const Outcome full = run(healthy(), "cuMemAlloc_v2:2");
  EXPECT_EQ(full.kind, OutcomeKind::NotRun);
  EXPECT_NE(full.reason.find("cuMemAlloc_v2 failed with"), std::string::npos) << full.reason;
  const Outcome old = run(healthy(), "cuModuleLoadDataEx:222");
  EXPECT_EQ(old.kind, OutcomeKind::NotRun);
  EXPECT_EQ(old.reason.find("the driver 12.4 is too old for PTX"), 0u) << old.reason;
}

TEST_F(Gpu, what_ends_outside_of_the_kernel_is_no_finding) {
  const Outcome killed = run(healthy(), "cuLaunchKernel:kill");
  EXPECT_EQ(killed.kind, OutcomeKind::NotRun);
  EXPECT_EQ(killed.reason, "its process was killed (signal 9), as the system does where memory is short");
  const Outcome died = run(healthy(), "cuModuleLoadDataEx:die");
  EXPECT_EQ(died.kind, OutcomeKind::NotRun);
  EXPECT_EQ(died.reason, "its process died of signal 6, and the kernel was not running");
}

TEST_F(Gpu, every_call_that_fails_is_named) {
  for (const char* call : {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuModuleGetFunction",
                           "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuStreamCreate", "cuLaunchKernel"}) {
    const Outcome outcome = run(healthy(), (std::string(call) + ":999").c_str());
    EXPECT_EQ(outcome.kind, OutcomeKind::NotRun) << call;
    EXPECT_EQ(outcome.reason.find(std::string(call) + " failed with"), 0u) << call << ": " << outcome.reason;
  }
}

TEST_F(Gpu, instrumented_finds_there_what_it_finds_on_the_machine) {
  RunOptions options;
  for (const char* name : {"read_global_past_the_end", "write_shared_past_the_end", "read_rows_into_the_gap",
                           "index_statement_broken", "store_pairs_at_1", "write_variable_past_the_end"}) {
    const Launch launch = check(name);
    const auto rules = [](const Outcome& outcome) {
      std::vector<std::string> out;
      for (const Finding& finding : outcome.findings) {
        if (finding.rule != Rule::OutputNotWritten) out.push_back(finding.message);
      }
      return out;
    };
    const Outcome machine = gpu::make_instrumented(machine::make_machine())->run(launch, options);
    const Outcome device = gpu::make_instrumented(gpu::make_gpu())->run(launch, options);
    EXPECT_FALSE(rules(machine).empty()) << name;
    EXPECT_EQ(rules(device), rules(machine)) << name << device.reason;
  }
}

TEST_F(Gpu, hangs_are_ended_in_time) {
  gpu::GpuOptions limits;
  limits.start_seconds = 0.3;
  set("ROPEWALK_STAND_IN_FAIL", "cuStreamSynchronize:hang");
  RunOptions options;
  options.seconds = 0.2;
  const Outcome outcome = gpu::make_gpu(limits)->run(healthy(), options);
  ASSERT_EQ(outcome.kind, OutcomeKind::Found);
  EXPECT_EQ(outcome.findings[0].rule, Rule::Hang);
  for (const char* copy : {"cuMemcpyHtoD_v2:hang", "cuMemcpyDtoH_v2:hang"}) {  // before the kernel, and after it
    set("ROPEWALK_STAND_IN_FAIL", copy);
    const Outcome slow = gpu::make_gpu(limits)->run(healthy(), options);
    EXPECT_EQ(slow.kind, OutcomeKind::NotRun) << copy;
    EXPECT_EQ(slow.reason, "it was ended when its time was over, and the kernel was not running");
  }
}

}  // namespace
}  // namespace ropewalk
