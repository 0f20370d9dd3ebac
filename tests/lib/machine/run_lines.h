// A few lines of PTX, run by every thread of the machine, against the same in C++.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "lib/ptx/read_module.h"
#include "tests/lib/machine/run_integers.h"

namespace ropewalk {

// What `body` leaves in %r9 for each of 64 threads; %r1 is the thread's number, %r2 is `number`.
inline std::vector<i32> results_of(const std::string& body, i32 number, const RunOptions& options = {}) {
  const std::string text = fmt::format(R"(.version 8.8
.target sm_100
.address_size 64
.visible .entry tried(.param .u64 out, .param .u32 number)
{{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<20>;
  .reg .f32 %f<20>;
  .reg .b64 %rd<20>;
  .reg .f64 %fd<9>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r2, [number];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
{}
  st.global.u32 [%rd1], %r9;
  ret;
}}
)",
                                       body);
  Launch launch = integer_launch("unknown.ptx", "tried", number, 1, 64);
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(text, "tried.ptx"));
  const Outcome outcome = machine::make_machine()->run(launch, options);
  EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason << "\n" << body;
  return outcome.kind == OutcomeKind::Agreed ? integers_of(launch, outcome) : std::vector<i32>(64);
}

// Compares with expected(thread, number) for some numbers.
inline void expect_results(const std::string& body, const std::function<u32(u32, u32)>& expected) {
  for (const i32 number : {0, 1, 7, 31, -1, -20, 0x12345678, i32(0x80000000)}) {
    const std::vector<i32> results = results_of(body, number);
    for (u32 thread = 0; thread < 64; ++thread) {
      ASSERT_EQ(u32(results[thread]), expected(thread, u32(number))) << "thread " << thread << ", " << number << body;
    }
  }
}

}  // namespace ropewalk
