// Kernels that write to a KV cache: what their preconditions say, what they leave alone, that correct ones are silent
// over drawn problems, and that every seeded bug is found with its cause.
#include <gtest/gtest.h>

#include <set>

#include "kernels/atlas.h"
#include "kernels/kernels.h"
#include "lib/campaign/examine.h"
#include "lib/generate/case_plan.h"
#include "lib/generate/space.h"
#include "lib/machine/machine.h"

namespace ropewalk::kernels {
namespace {

std::string first_reason(const char* kernel, const char* problem) {
  const auto reasons = kernel_named(kernel).reject(families::parse_problem(problem));
  return reasons.empty() ? "" : reasons.front();
}
std::string append_says(const char* problem) { return first_reason("cache-store/append", problem); }
std::string copy_says(const char* problem) { return first_reason("cache-store/copy", problem); }

TEST(AppendContract, says_what_is_wrong) {
  EXPECT_EQ(append_says("cache-store(T=3,page_size=4,slots=8,slot_mapping=[7,-1,0])"), "");
  EXPECT_EQ(append_says("cache-store(T=0)"), "T is 0, it must be at least 1");
  EXPECT_EQ(append_says("cache-store(padding=-1)"), "padding is -1, it must be at least 0");
  EXPECT_EQ(append_says("cache-store(T=3,slots=2)"), "3 tokens are more than the 2 slots");
  EXPECT_EQ(append_says("cache-store(T=3,slot_mapping=[1,2])"),
            "slot_mapping has 2 entries, it must have one for each of 3 tokens");
  EXPECT_EQ(append_says("cache-store(T=2,page_size=4,slots=7,slot_mapping=[1,8])"),
            "slot_mapping[1] is 8, it must be -1 (not stored) or one of the slots 0 to 7");
  EXPECT_EQ(append_says("cache-store(T=2,slot_mapping=[-2,8])"),
            "slot_mapping[0] is -2, it must be -1 (not stored) or one of the slots 0 to 1048575");
  EXPECT_EQ(append_says("cache-store(T=4,slot_mapping=[-1,5,-1,5])"),
            "slot_mapping[1] and slot_mapping[3] are both 5: two tokens cannot have one slot");
  EXPECT_EQ(append_says("cache-store(layout=hnd)"),
            "layout is hnd, a cache without pages has one layout: [slots, H, D]");
  EXPECT_EQ(append_says("cache-store(cache_dtype=f16)"),
            "cache_dtype is f16, it must be that of key and value, f32, or f8e4m3");
  EXPECT_EQ(append_says("cache-store(dtype=i8)"), "dtype is i8, kernels are there for f32, f16 and bf16");
  EXPECT_EQ(append_says("cache-store(k_scale=0.5)"),
            "k_scale goes with cache_dtype=f8e4m3, and numbers are not scaled in f32");
  EXPECT_EQ(append_says("cache-store(cache_dtype=f8e4m3,v_scale=0)"), "v_scale is 0, it must be from 2^-20 to 2^20");
  EXPECT_EQ(append_says("cache-store(copies=[0,1])"), "copies are given, this kernel stores tokens");
}

TEST(CopyContract, says_what_is_wrong) {
  EXPECT_EQ(copy_says("cache-store(copies=[0,1,0,2])"), "");
  EXPECT_EQ(copy_says("cache-store()"), "copies are missing: this kernel copies pages");
  EXPECT_EQ(copy_says("cache-store(copies=[0,1,2])"), "copies has 3 entries, it must have two for each pair of pages");
  EXPECT_EQ(copy_says("cache-store(page_size=4,slots=12,copies=[0,3])"), "copies[1] is 3, there are pages 0 to 2");
  EXPECT_EQ(copy_says("cache-store(copies=[0,1,1,2])"),
            "page 1 is written by pair 0 and read by pair 1: all pairs are copied at once");
  EXPECT_EQ(copy_says("cache-store(copies=[0,2,1,2])"),
            "page 2 is written by pair 1 and written by pair 0: all pairs are copied at once");
  EXPECT_EQ(copy_says("cache-store(copies=[2,2])"),
            "page 2 is written by pair 0 and read by pair 0: all pairs are copied at once");
}

std::vector<std::vector<i64>> regions_of(const char* kernel, const char* problem, const char* tensor) {
  const Launch launch = kernel_named(kernel).launch(families::parse_problem(problem));
  std::vector<std::vector<i64>> regions;
  for (const Region& region : launch.tensors[u64(launch.tensor_named(tensor))].regions) {
    regions.push_back({region.first_row, region.last_row, region.first_column, region.last_column});
  }
  return regions;
}

TEST(CacheStoreLaunch, leaves_out_what_no_token_has) {
  using Regions = std::vector<std::vector<i64>>;
  const char* const nhd = "cache-store(T=3,H=2,D=8,page_size=4,slots=8,slot_mapping=[5,-1,4])";
  EXPECT_EQ(regions_of("cache-store/append", nhd, "key_cache"), (Regions{{8, 12, 0, 8}}));
  const char* const hnd = "cache-store(T=3,H=2,D=8,page_size=4,slots=8,layout=hnd,slot_mapping=[5,-1,4])";
  EXPECT_EQ(regions_of("cache-store/append", hnd, "value_cache"), (Regions{{8, 10, 0, 8}, {12, 14, 0, 8}}));
  EXPECT_EQ(regions_of("cache-store/append", "cache-store(T=1,slot_mapping=[-1])", "key_cache"),
            (Regions{{0, 0, 0, 64}}));
  EXPECT_EQ(regions_of("cache-store/append", "cache-store(T=3,H=2,D=8,padding=2)", "key"), (Regions{{0, 6, 0, 8}}));
  EXPECT_EQ(regions_of("cache-store/copy", "cache-store(H=1,D=8,page_size=2,copies=[0,3])", "key_cache"),
            (Regions{{0, 2, 0, 8}, {6, 8, 0, 8}}));
}

class Correct : public testing::TestWithParam<const char*> {};

// Drawn problems, and what a campaign has beside them: flaws, which are rejected, and strides beyond 32 bits.
TEST_P(Correct, is_right_and_silent) {
  const Kernel& kernel = kernel_named(GetParam());
  const generate::CasePlan plan(kernel, 11);
  RunOptions options;
  options.threads = 1;
  campaign::Examiner examiner(machine::make_machine(), options);
  u64 ran = 0;
  std::set<Dtype> caches;
  for (u64 n = 0; n < 1000; ++n) {
    const generate::PlannedCase one = plan.at(n);
    const campaign::Examined examined = examiner.examine({kernel, plan.space().flaws, one.problem, one.blocks}, {});
    ASSERT_EQ(examined.not_run, "") << text_of(one.problem);
    for (const Finding& finding : examined.findings) FAIL() << text_of(one.problem) << "\n" << finding.message;
    if (!kernel.reject(one.problem).empty()) continue;
    ++ran;
    caches.insert(kernel.launch(one.problem).tensors[0].dtype);
  }
  EXPECT_GT(ran, 600u);
  EXPECT_EQ(caches, (std::set<Dtype>{Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F8E4M3}));
}

INSTANTIATE_TEST_SUITE_P(CacheStore, Correct, testing::Values("cache-store/append", "cache-store/copy"));

// A campaign on each seeded bug finds it, and names its cause and no other where it names one.
TEST(FaultyCacheStores, are_found_with_their_cause) {
  std::set<std::string> kernels;
  for (const AtlasEntry& entry : all_atlas_entries()) {
    const Kernel& kernel = kernel_named(entry.kernel);
    if (kernel.family->name != "cache-store") continue;
    kernels.insert(kernel.name);
    RunOptions options;
    options.threads = 1;
    campaign::Examiner examiner(machine::make_machine(), options);
    const generate::ProblemSpace space = kernel.family->space(kernel);
    const campaign::Examined examined =
        examiner.examine({kernel, space.flaws, families::parse_problem(entry.problem), 0}, {});
    bool found = false;
    for (const Finding& finding : examined.findings) {
      found |= finding.rule == entry.found.rule && finding.cause && finding.cause->id == entry.found.cause;
      if (!finding.cause || finding.rule == Rule::BadArgumentAccepted) continue;
      EXPECT_EQ(finding.cause->id, entry.found.cause) << kernel.name << ": " << finding.message;
    }
    EXPECT_TRUE(found) << kernel.name << " on " << entry.problem;
  }
  EXPECT_GE(kernels.size(), 8u);
}

}  // namespace
}  // namespace ropewalk::kernels
