// What preconditions reject, with the message a person needs, and what their launches are made of.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/checked_in_ptx.h"
#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/problem/rotary.h"
#include "tests/kernels/rotary_problems.h"

namespace ropewalk::kernels {
namespace {

std::vector<std::string> reasons(const char* kernel, const char* problem) {
  return kernel_named(kernel).reject(parse_rotary(problem));
}

// The only reason, or all of them where there are more.
std::string reason(const char* kernel, const char* problem) {
  std::string text;
  for (const std::string& one : reasons(kernel, problem)) text += (text.empty() ? "" : " | ") + one;
  return text;
}

TEST(Preconditions, says_what_a_person_needs) {
  const char* apply = "rotary/apply";
  EXPECT_EQ(reason(apply, "rotary(B=2,T=128,H=8,D=64)"), "");
  EXPECT_EQ(reason(apply, "rotary(B=2,T=128,H=8,D=64,rotary_dim=512)"),
            "rotary_dim 512 is larger than head_dim 64 (512 = 8 heads x 64: was the model width passed?)");
  EXPECT_EQ(reason(apply, "rotary(H=8,D=64,rotary_dim=66)"), "rotary_dim 66 is larger than head_dim 64");
  EXPECT_EQ(reason(apply, "rotary(D=64,rotary_dim=33)"), "rotary_dim 33 is odd, columns are rotated in pairs");
  EXPECT_EQ(reason(apply, "rotary(T=8,offset=5,cache_rows=12)"),
            "offset 5 + 8 tokens need 13 rows of cos and sin, the cache has 12");
  EXPECT_EQ(reason(apply, "rotary(B=2,T=8,offsets=[0,5],cache_rows=12)"),
            "offsets: 5 + 8 tokens of sequence 1 need 13 rows of cos and sin, the cache has 12");
  EXPECT_EQ(reason(apply, "rotary(offset=-3)"),
            "offset -3 is negative: it would read before the first row of cos and sin");
  EXPECT_EQ(reason(apply, "rotary(B=2,offsets=[0,-1])"),
            "offsets[1] is -1, which is negative: it would read before the first row of cos and sin");
  EXPECT_EQ(reason(apply, "rotary(B=2,offsets=[0])"), "offsets has 1 entries for 2 sequences");
  EXPECT_EQ(reason(apply, "rotary(T=9,cu_seqlens=[1,9])"),
            "cu_seqlens starts at 1, it must start at 0: rows before it belong to no sequence");
  EXPECT_EQ(reason(apply, "rotary(T=9,cu_seqlens=[0,5,3,9])"), "cu_seqlens decreases from 5 to 3 at entry 2");
  EXPECT_EQ(reason(apply, "rotary(T=9,cu_seqlens=[0,5,10])"), "cu_seqlens[2] is 10, past the 9 rows of x");
  EXPECT_EQ(reason(apply, "rotary(T=9,cu_seqlens=[0])"),
            "cu_seqlens has 1 entry, it must have one more than there are sequences: at least 2");
  EXPECT_EQ(reason(apply, "rotary(B=0)"), "B is 0, it must be at least 1");
  EXPECT_EQ(reason(apply, "rotary(T=0,H=0)"), "H is 0, it must be at least 1 | T is 0, it must be at least 1");
  EXPECT_EQ(reason(apply, "rotary(dtype=f64)"), "dtype is f64, kernels are there for f32, f16 and bf16");
  EXPECT_EQ(reason(apply, "rotary(dtype=bf16,cache_dtype=f16)"),
            "unequal dtypes: cos and sin are f16 and x is bf16; the cache must be of x's dtype or f32");
  EXPECT_EQ(reason(apply, "rotary(positions=[1])"), "rotary/apply has no positions, that belongs to rotary/qk");
  EXPECT_EQ(reason("rotary/qk", "rotary(T=3,key_heads=1,cache_rows=8,positions=[0,8,1])"),
            "positions[1] is 8, past the 8 rows of cos and sin");
  EXPECT_EQ(reason("rotary/qk", "rotary(T=3,key_heads=1,positions=[0,-2,1])"), "positions[1] is -2, which is negative");
  EXPECT_EQ(reason("rotary/qk", "rotary(T=3,positions=[0])"), "positions has 1 entries for 3 tokens");
  EXPECT_EQ(reason("rotary/cache", "rotary(rotary_dim=7)"), "rotary_dim 7 is odd, columns are rotated in pairs");
  EXPECT_EQ(reason("rotary/cache", "rotary(theta=0)"), "theta is 0, it must be a number larger than 0");
}

TEST(Preconditions, numbers_past_the_kernels_integers_are_rejected) {
  for (const char* problem :
       {"rotary(B=3000000000)", "rotary(D=9223372036854775807)", "rotary(offset=-9223372036854775808)",
        "rotary(B=2147483647,T=2147483647)", "rotary(B=1048576,T=1024,H=1024,D=1024)", "rotary(cache_rows=2147483647)",
        "rotary(T=9,cu_seqlens=[0,9000000000])", "rotary(row_gap=-1)", "rotary(rotary_dim=-2)",
        "rotary(B=2,offsets=[0,99999999999])", "rotary(T=2,cu_seqlens=[-9223372036854775808,9223372036854775807])"}) {
    EXPECT_FALSE(reasons("rotary/apply", problem).empty()) << problem;
    EXPECT_FALSE(reasons("faulty/rotary-apply-unguarded", problem).empty()) << problem;
    EXPECT_THROW(kernel_named("rotary/apply").launch(parse_rotary(problem)), InputError) << problem;
  }
}

TEST(Preconditions, families_without_preconditions_take_what_their_counterparts_reject) {
  for (const char* problem :
       {"rotary(B=2,T=128,H=8,D=64,rotary_dim=512)", "rotary(D=33,rotary_dim=33)", "rotary(T=8,offset=5,cache_rows=12)",
        "rotary(offset=-3)", "rotary(T=9,cu_seqlens=[0,5,3,9])", "rotary(T=9,cu_seqlens=[0,5,18])"}) {
    EXPECT_FALSE(reasons("rotary/apply-general", problem).empty()) << problem;
    EXPECT_EQ(reason("faulty/rotary-apply-unguarded", problem), "") << problem;
    EXPECT_FALSE(unanswerable(kernel_named("faulty/rotary-apply-unguarded"), parse_rotary(problem)).empty());
  }
}

TEST(Preconditions, families_with_few_dtypes_say_so) {
  EXPECT_EQ(reason("faulty/rotary-apply-int32", "rotary(dtype=f16)"),
            "faulty/rotary-apply-int32 is there for f32 and bf16 with cos and sin in f32 alone");
  EXPECT_EQ(reason("faulty/rotary-qk-one-stride", "rotary(dtype=bf16,cache_dtype=bf16)"),
            "faulty/rotary-qk-one-stride is there for f32 and bf16 with cos and sin in f32 alone");
  EXPECT_EQ(reason("faulty/rotary-apply-int32", "rotary(dtype=bf16)"), "");
}

TEST(Preconditions, every_family_is_known_by_name_and_has_its_counterpart) {
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_EQ(&kernel_named(kernel.name), &kernel);
    EXPECT_EQ(kernel.is_correct(), !kernel.name.starts_with("faulty/")) << kernel.name;
    EXPECT_TRUE(kernel.is_correct() || kernel.correct->is_correct());
    EXPECT_FALSE(kernel.description.empty());
  }
  try {
    kernel_named("rotary/aply");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "no kernel \"rotary/aply\", did you mean \"rotary/apply\"?");
  }
}

TEST(Preconditions, launches_fit_their_entries) {
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.family->name != "rotary") continue;
    const std::string kind = kernel.name.find("qk") != std::string::npos      ? "rotary/qk"
                             : kernel.name.find("cache") != std::string::npos ? "rotary/cache"
                                                                              : "rotary/apply";
    for (u64 seed = 0; seed < 60; ++seed) {
      const RotaryProblem problem = good_rotary_problem(Random(seed), kind);
      if (!kernel.reject(problem).empty()) continue;  // a faulty kernel has kernels for fewer dtypes
      const Launch launch = kernel.launch(problem);
      const ptx::Function* entry = launch.module->entry(launch.entry);
      ASSERT_NE(entry, nullptr) << launch.entry;
      ASSERT_EQ(entry->name, launch.entry);
      ASSERT_EQ(entry->parameter_count, launch.arguments.size());
      for (u32 n = 0; n < entry->parameter_count; ++n) {
        const auto* packed = std::get_if<StructArgument>(&launch.arguments[n]);
        ASSERT_EQ(packed ? packed->bytes : 0, packed ? entry->parameter(n).bytes() : 0);
      }
      EXPECT_EQ(launch.block.x % 32, 0u);
      EXPECT_LE(launch.block.count(), 256u);
      EXPECT_LE(launch.grid.y, 65535u);
      EXPECT_TRUE(std::any_of(launch.tensors.begin(), launch.tensors.end(), [](const auto& t) { return t.output; }));
    }
  }
}

TEST(Preconditions, large_problems_are_described_and_not_made) {
  // 2^33 elements of x and out.
  const Launch launch = kernel_named("rotary/apply").launch(parse_rotary("rotary(B=8192,T=1024,H=16,D=64,dtype=bf16)"));
  for (const LaunchTensor& tensor : launch.tensors) {
    EXPECT_TRUE(tensor.name != "x" || std::holds_alternative<Normal>(tensor.init));
    EXPECT_TRUE(tensor.name != "out" || std::holds_alternative<Uninitialized>(tensor.init));
  }
  EXPECT_EQ(element_count(launch.tensors[0].shape), i64(1) << 33);
}

TEST(CheckedInPtx, holds_source_lines_by_paths_of_the_repository) {
  for (const EmbeddedPtx& kept : embedded_ptx()) {
    const auto module = checked_in_module(kept.stem);
    EXPECT_EQ(module, checked_in_module(kept.stem));
    for (const std::string& file : module->files) {
      EXPECT_TRUE(file.empty() || file.starts_with("kernels/") || file.starts_with("cuda/include/")) << file;
    }
  }
}

}  // namespace
}  // namespace ropewalk::kernels
