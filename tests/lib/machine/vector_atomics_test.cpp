// Atomics on vectors must be aligned to the whole vector, although each element is an atomic by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/machine/machine.h"
#include "lib/ptx/read_module.h"

namespace ropewalk {
namespace {

// The rules of what is found where a thread adds to the floats from that byte on.
std::vector<Rule> found_at(const std::string& instruction, u32 byte) {
  const std::string body = fmt::format(fmt::runtime(instruction), byte);
  const std::string text = fmt::format(R"(.version 8.8
.target sm_90
.address_size 64
.visible .entry add(.param .u64 out)
{{
  .reg .b64 %rd<3>;
  .reg .f32 %f<9>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.f32 %f1, 0f3F800000;
  {}
  ret;
}}
)",
                                       body);
  Launch launch;
  launch.module = std::make_shared<ptx::Module>(ptx::read_module(text, "add.ptx"));
  launch.entry = "add";
  launch.grid = launch.block = {1, 1, 1};
  launch.tensors.push_back({.name = "out", .dtype = Dtype::F32, .shape = {64}, .strides = {1}, .init = Fill{0}});
  launch.arguments.push_back(TensorArgument{0});
  const Outcome outcome = machine::make_machine()->run(launch, RunOptions());
  EXPECT_NE(outcome.kind, OutcomeKind::NotRun) << outcome.reason;
  std::vector<Rule> rules;
  for (const Finding& finding : outcome.findings) rules.push_back(finding.rule);
  return rules;
}

const std::vector<Rule> none, misaligned{Rule::MisalignedAccess};

TEST(VectorAtomics, must_be_aligned_to_the_whole_vector) {
  const char* const four = "red.global.add.v4.f32 [%rd2+{}], {{%f1, %f1, %f1, %f1}};";
  const char* const two = "red.global.add.v2.f32 [%rd2+{}], {{%f1, %f1}};";
  const char* const with_result = "atom.global.add.v4.f32 {{%f2, %f3, %f4, %f5}}, [%rd2+{}], {{%f1, %f1, %f1, %f1}};";
  EXPECT_EQ(found_at(four, 16), none);
  EXPECT_EQ(found_at(four, 8), misaligned);
  EXPECT_EQ(found_at(four, 4), misaligned);
  EXPECT_EQ(found_at(two, 8), none);
  EXPECT_EQ(found_at(two, 4), misaligned);
  EXPECT_EQ(found_at(with_result, 48), none);
  EXPECT_EQ(found_at(with_result, 56), misaligned);
}

}  // namespace
}  // namespace ropewalk
