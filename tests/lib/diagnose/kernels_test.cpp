// Our faulty kernels on the machine: their findings have the cause that was planted, with the problem known, and never
// another one without it.
#include <gtest/gtest.h>

#include "kernels/family.h"
#include "lib/diagnose/diagnose.h"
#include "lib/machine/machine.h"

namespace ropewalk {
namespace {

struct Planted {
  const char* family;
  const char* problem;
  const char* cause;
  u64 sampled_blocks = 0;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.family << " on " << planted.problem; }

std::string cause_id(const Finding& finding) { return finding.cause ? finding.cause->id : ""; }

class PlantedCause : public testing::TestWithParam<Planted> {};

TEST_P(PlantedCause, is_found_from_the_evidence) {
  const Problem problem = parse_problem(GetParam().problem);
  Launch launch = family_named(GetParam().family).launch(problem);
  launch.blocks = {GetParam().sampled_blocks, 1};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_FALSE(outcome.findings.empty()) << outcome.reason;

  std::vector<Finding> known = outcome.findings, bare = outcome.findings;
  diagnose(known, launch, &problem);
  diagnose(bare, launch);
  for (size_t n = 0; n < known.size(); ++n) {
    EXPECT_EQ(cause_id(known[n]), GetParam().cause) << name_of(known[n].rule) << ": " << known[n].message;
    if (!bare[n].cause) continue;

    EXPECT_EQ(cause_id(bare[n]), GetParam().cause) << name_of(bare[n].rule) << ": " << bare[n].message;
  }
}

constexpr Planted planted[] = {
    {"faulty/rotary-apply-unguarded", "rotary(B=2,T=128,H=8,D=64,rotary_dim=512)", "model-width-for-head-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(T=9,H=6,D=16,rotary_dim=96,dtype=bf16)", "model-width-for-head-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(T=4,H=8,D=64,rotary_dim=512,layout=interleaved)",
     "model-width-for-head-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(B=2,T=8,H=8,D=64,rotary_dim=66)", "width-over-head-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(B=2,T=8,H=2,D=64,rotary_dim=96,row_gap=8)", "width-over-head-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(T=3,H=1,D=33,rotary_dim=33)", "odd-rotary-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(T=8,H=2,D=64,rotary_dim=31)", "odd-rotary-dim"},
    {"faulty/rotary-apply-unguarded", "rotary(T=8,offset=5,cache_rows=12)", "cache-too-short"},
    {"faulty/rotary-apply-unguarded", "rotary(B=3,T=8,offsets=[0,9,2],cache_rows=12)", "cache-too-short"},
    {"faulty/rotary-apply-unguarded", "rotary(T=8,offset=-3)", "negative-position"},
    {"faulty/rotary-apply-unguarded", "rotary(T=9,cu_seqlens=[0,5,18])", "varlen-total-over-rows"},
    {"faulty/rotary-apply-row-mask", "rotary(B=2,T=5,H=2,D=8,cache_rows=16)", "missing-row-mask"},
    {"faulty/rotary-apply-row-mask", "rotary(B=2,T=5,H=2,D=8,cache_rows=7)", "missing-row-mask"},
    {"faulty/rotary-apply-row-mask", "rotary(T=9,H=2,D=8,cache_rows=16,cu_seqlens=[0,4,9])", "missing-row-mask"},
    {"faulty/rotary-apply-column-mask", "rotary(T=3,H=2,D=48,dtype=bf16)", "missing-column-mask"},
    {"faulty/rotary-apply-column-mask", "rotary(T=3,H=2,D=48,layout=interleaved)", "missing-column-mask"},
    {"faulty/rotary-apply-head-mask", "rotary(T=3,H=6,D=16)", "missing-row-mask"},
    {"faulty/rotary-apply-int32", "rotary(B=7200,T=90,H=48,D=72,dtype=bf16)", "int32-overflow", 64},
    {"faulty/rotary-apply-one-stride", "rotary(T=4,H=2,D=16,row_gap=8)", "wrong-stride"},
    {"faulty/rotary-apply-one-stride", "rotary(B=2,T=16,H=4,D=64,row_gap=8,token_gap=16)", "wrong-stride"},
    {"faulty/rotary-apply-rows-skipped", "rotary(B=2,T=4,H=2,D=16,offset=-2)", "rows-skipped"},
    {"faulty/rotary-qk-unguarded", "rotary(T=3,H=2,D=16,key_heads=1,cache_rows=8,positions=[0,99,1])",
     "cache-too-short"},
    {"faulty/rotary-qk-unguarded", "rotary(T=3,H=2,D=16,key_heads=1,cache_rows=8,positions=[0,-5,1])",
     "negative-position"},
    {"faulty/rotary-qk-unguarded", "rotary(T=3,H=4,D=16,key_heads=2,rotary_dim=64)", "model-width-for-head-dim"},
    {"faulty/rotary-qk-one-stride", "rotary(T=3,H=4,D=16,key_heads=2,row_gap=8)", "wrong-stride"},
    {"faulty/rotary-cache-unguarded", "rotary(T=5,rotary_dim=7)", "odd-rotary-dim"},
};

INSTANTIATE_TEST_SUITE_P(Kernels, PlantedCause, testing::ValuesIn(planted));

}  // namespace
}  // namespace ropewalk
