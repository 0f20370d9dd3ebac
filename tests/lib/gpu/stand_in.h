// Tests that run on the stand-in driver.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "kernels/kernels.h"
#include "lib/gpu/gpu.h"
#include "lib/launch/launch_file.h"

namespace ropewalk {

class StandIn : public testing::Test {
 protected:
  void SetUp() override { set("ROPEWALK_CUDA_DRIVER", "self"); }
  void TearDown() override {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }

  // A variable of the environment, until the test ends.
  void set(const std::string& name, const std::string& value) {
    names_.insert(name);
    setenv(name.c_str(), value.c_str(), 1);
  }

  static Launch healthy() {
    return kernels::kernel_named("rotary/apply").launch(families::parse_problem("rotary(B=2,T=5,H=3,D=16)"));
  }
  static Launch check(const std::string& name) {
    return read_launch_file("tests/data/machine/checks/" + name + ".json");
  }
  static Outcome run_with(gpu::Guards guards, const Launch& launch) {
    gpu::GpuOptions options;
    options.guards = guards;
    return gpu::make_gpu(options)->run(launch, {});
  }

 private:
  std::set<std::string> names_{"ROPEWALK_STAND_IN_DEVICES", "ROPEWALK_CUDA_DEVICE"};
};

}  // namespace ropewalk
