// A few lines of PTX that get words which were written and words which nobody wrote.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/machine/machine.h"
#include "lib/ptx/read_module.h"

namespace ropewalk {

constexpr u32 value_threads = 64;

// A kernel around `body`: thread %r1 has known words in %r2 and %r3, halves in %rs1 and %rs2 and 64 bits in %rd2, and
// unwritten ones in %r4, %r5, %rs3, %rs4 and %rd3. The body leaves its result in %r9 and %r10, which are stored; %rd1
// is the address in the output (8 bytes a thread), %rd4 and %rd5 are the start of the known and of the unwritten words,
// %rd9 is the address of memory that is no output (8 bytes).
inline std::string value_kernel(const std::string& body) {
  return fmt::format(R"(.version 8.8
.target sm_100
.address_size 64
.visible .entry tried(.param .u64 known, .param .u64 unwritten, .param .u64 out, .param .u64 scratch)
{{
  .reg .pred %p<9>;
  .reg .b16 %rs<40>;
  .reg .b32 %r<60>;
  .reg .f32 %f<20>;
  .reg .b64 %rd<40>;
  .reg .f64 %fd<9>;
  .shared .align 16 .b8 tile[4096];
  .local .align 8 .b8 own[64];
  ld.param.u64 %rd4, [known];
  ld.param.u64 %rd5, [unwritten];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd6, %r1, 32;
  add.s64 %rd7, %rd4, %rd6;
  add.s64 %rd8, %rd5, %rd6;
  mul.wide.u32 %rd6, %r1, 8;
  add.s64 %rd1, %rd1, %rd6;
  ld.param.u64 %rd9, [scratch];
  add.s64 %rd9, %rd9, %rd6;
  ld.global.v2.u32 {{%r2, %r3}}, [%rd7];
  ld.global.u64 %rd2, [%rd7+8];
  ld.global.v2.u16 {{%rs1, %rs2}}, [%rd7+16];
  ld.global.v2.u32 {{%r4, %r5}}, [%rd8];
  ld.global.u64 %rd3, [%rd8+8];
  ld.global.v2.u16 {{%rs3, %rs4}}, [%rd8+16];
  mov.u32 %r9, 0;
  mov.u32 %r10, 0;
{}
  st.global.v2.u32 [%rd1], {{%r9, %r10}};
  ret;
}}
)",
                     body);
}

// Words of all zeros, of all ones, or random ones.
inline Init words_of(i64 count, u64 fill) {
  auto array = std::make_shared<Array>(Array::zeros(Dtype::I32, {count}));
  for (i64 n = 0; n < count; ++n) {
    const u32 word = fill == 1 ? 0 : fill == 2 ? ~0u : u32(random_bits(fill, u64(n)));
    std::memcpy(array->bytes.data() + 4 * n, &word, 4);
  }
  return Given{array, ""};
}

// The launch of such a kernel. `fill`: 0 leaves the unwritten words as they are; 1 and 2 write zeros and ones, others
// random numbers that depend on it.
inline Launch value_launch(const std::string& body, u64 fill = 0, u64 known = 100) {
  Launch launch;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(value_kernel(body), "tried.ptx"));
  launch.entry = "tried";
  launch.grid = {1, 1, 1};
  launch.block = {value_threads, 1, 1};
  const auto tensor = [&](const char* name, i64 words, Init init) {
    LaunchTensor one{.name = name, .dtype = Dtype::I32, .shape = {words}, .strides = {1}};
    one.init = std::move(init);
    launch.tensors.push_back(one);
  };
  tensor("known", value_threads * 8, words_of(value_threads * 8, known));
  tensor("unwritten", value_threads * 8, fill ? words_of(value_threads * 8, fill) : Init(Uninitialized{}));
  tensor("out", value_threads * 2, Uninitialized{});
  launch.tensors[2].output = true;
  tensor("scratch", value_threads * 2, Uninitialized{});
  launch.arguments = {TensorArgument{0}, TensorArgument{1}, TensorArgument{2}, TensorArgument{3}};
  return launch;
}

// What is found, by rule and location in the PTX, each once; of another kind than findings: why it did not run.
inline std::string findings_of(const Launch& launch, const RunOptions& options = {}) {
  const Outcome outcome = machine::make_machine()->run(launch, options);
  std::string all = outcome.kind == OutcomeKind::NotRun ? "not run: " + outcome.reason + "\n" : "";
  for (const Finding& finding : outcome.findings) {
    all += fmt::format("{} at line {}: {}\n", name_of(finding.rule), finding.location ? finding.location->ptx_line : 0,
                       finding.message);
  }
  return all;
}

}  // namespace ropewalk
