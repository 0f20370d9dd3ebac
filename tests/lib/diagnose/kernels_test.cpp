// Our faulty kernels on the machine: their findings have the cause that was seeded, with the problem known, and never
// another one without it.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/machine/machine.h"

namespace ropewalk::diagnose {
namespace {

struct Seeded {
  const char* kernel;
  const char* problem;
  const char* cause;
  u64 sampled_blocks = 0;
  bool names_outputs = false;  // a wrong output has the cause too
};

void PrintTo(const Seeded& seeded, std::ostream* out) { *out << seeded.kernel << " on " << seeded.problem; }

std::string cause_id(const Finding& finding) { return finding.cause ? finding.cause->id : ""; }

class SeededCause : public testing::TestWithParam<Seeded> {};

TEST_P(SeededCause, is_found_from_the_evidence) {
  const Problem problem = families::parse_problem(GetParam().problem);
  Launch launch = kernels::kernel_named(GetParam().kernel).launch(problem);
  launch.blocks = {GetParam().sampled_blocks, 1};
  const Kernel& kernel = kernels::kernel_named(GetParam().kernel);
  compare::expect_answer(kernel, problem, launch);
  Outcome outcome = machine::make_machine()->run(launch, {});
  compare::judge_outputs(launch, outcome);
  ASSERT_FALSE(outcome.findings.empty()) << outcome.reason;

  std::vector<Finding> known = outcome.findings, bare = outcome.findings;
  diagnose(known, launch, &families::family_of(problem), &problem, outcome.tensors);
  diagnose(bare, launch);
  for (size_t n = 0; n < known.size(); ++n) {
    // A wrong output that nothing reproduces is left without a cause, but never with another one.
    const bool may_be_none = known[n].rule == Rule::OutputMismatch && !GetParam().names_outputs;
    if (known[n].cause || !may_be_none) {
      EXPECT_EQ(cause_id(known[n]), GetParam().cause) << name_of(known[n].rule) << ": " << known[n].message;
    }
    if (!bare[n].cause) continue;

    EXPECT_EQ(cause_id(bare[n]), GetParam().cause) << name_of(bare[n].rule) << ": " << bare[n].message;
  }
}

// Sequences that end past the rows, where one has no keys: that is of no consequence.
TEST(SeededCauses, AListThatIsTooLongIsNoEmptySequence) {
  const Problem problem =
      families::parse_problem("attention(B=1,Tq=1,Tk=1,H=2,D=1,cu_seqlens_q=[0,1,2],cu_seqlens_k=[0,1,1])");
  const Launch launch = kernels::kernel_named("faulty/attention-any-lists").launch(problem);
  Outcome outcome = machine::make_machine()->run(launch, {});
  diagnose(outcome.findings, launch, &families::family_of(problem), &problem, outcome.tensors);
  EXPECT_EQ(outcome.findings.size(), 4u);
  for (const Finding& finding : outcome.findings) {
    EXPECT_EQ(cause_id(finding), "varlen-total-over-rows") << finding.message;
  }
}

constexpr Seeded seeded[] = {
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
    {"faulty/rotary-qk-one-stride", "rotary(T=3,H=4,D=16,key_heads=2,row_gap=8)", "wrong-stride", 0, true},
    {"faulty/rotary-qk-one-stride", "rotary(T=1,H=2,D=16,key_heads=2,rotary_dim=8,row_gap=8,offset=1)", "wrong-stride",
     0, true},
    {"faulty/rotary-qk-one-stride", "rotary(T=4,H=2,D=16,key_heads=2,row_gap=16,token_gap=16,offset=1)", "wrong-stride",
     0, true},
    {"faulty/rotary-qk-one-stride", "rotary(T=3,H=3,D=2,key_heads=2,row_gap=5,token_gap=8,offset=1)", "wrong-stride"},
    {"faulty/rotary-qk-one-stride",
     "rotary(B=2,T=5,H=2,D=2,key_heads=2,layout=interleaved,dtype=bf16,offset=1,row_gap=5)", "wrong-stride", 0, true},
    {"faulty/rotary-cache-unguarded", "rotary(T=5,rotary_dim=7)", "odd-rotary-dim"},
    {"faulty/rotary-apply-one-guard", "rotary(T=3,H=2,D=128,rotary_dim=192,dtype=bf16)", "width-over-head-dim"},
    {"faulty/rotary-apply-table-mask", "rotary(T=3,H=2,D=96)", "missing-column-mask"},
    {"faulty/rotary-apply-tail-turned", "rotary(T=3,H=2,D=16,rotary_dim=6,layout=interleaved,inplace=true)",
     "missing-column-mask", 0, true},
    {"faulty/rotary-apply-tile-mask", "rotary(T=10,H=2,D=16)", "block-local-mask"},
    {"faulty/rotary-apply-wide-read", "rotary(T=3,H=2,D=16)", "missing-column-mask"},
    {"faulty/rotary-apply-wide-table", "rotary(T=3,H=2,D=32,layout=interleaved)", "vector-too-wide"},
    {"faulty/rotary-apply-wide-table", "rotary(T=3,H=2,D=32,layout=interleaved,dtype=bf16)", "vector-too-wide"},
    {"faulty/rotary-apply-int32-rows", "rotary(T=3,H=1,D=8,token_gap=1073741816)", "int32-overflow"},
    {"faulty/rotary-apply-one-stride", "rotary(T=4,H=2,D=16,token_gap=8)", "wrong-stride", 0, true},
    {"faulty/rotary-apply-tail-stride", "rotary(T=4,H=2,D=16,rotary_dim=8,row_gap=8)", "wrong-stride", 0, true},
    {"faulty/rotary-apply-tail-stride",
     "rotary(T=16,H=1,D=33,rotary_dim=32,layout=interleaved,cu_seqlens=[0,6,9],row_gap=8,token_gap=8)", "wrong-stride",
     0, true},
    {"faulty/rotary-apply-tail-stride", "rotary(T=4,H=3,D=33,rotary_dim=8,cu_seqlens=[0,0,3],token_gap=8)",
     "wrong-stride", 0, true},
    {"faulty/rotary-apply-table-stride", "rotary(T=4,H=2,D=16,rotary_dim=8)", "wrong-stride", 0, true},
    {"faulty/rotary-apply-table-stride", "rotary(T=4,H=2,D=16,rotary_dim=8,cache_rows=90)", "wrong-stride", 0, true},
    {"faulty/rotary-apply-packed-table", "rotary(T=5,H=2,D=16)", "wrong-sin-offset", 0, true},
    {"faulty/rotary-apply-dead-tokens", "rotary(T=9,H=2,D=16,cu_seqlens=[0,3,6])", "tokens-behind-sequences"},
    {"faulty/rotary-apply-dead-tokens", "rotary(T=3,H=2,D=16,offset=1,cu_seqlens=[0,0,0])", "tokens-behind-sequences"},
    {"faulty/rotary-apply-swapped-layout", "rotary(T=3,H=2,D=16)", "layout-mixup", 0, true},
    {"faulty/rotary-apply-swapped-layout", "rotary(T=3,H=2,D=16,rotary_dim=8,layout=interleaved,inplace=true)",
     "layout-mixup", 0, true},
    {"faulty/rotary-apply-pair-offset", "rotary(T=3,H=2,D=16,rotary_dim=8)", "head-dim-for-rotary-dim", 0, true},
    {"faulty/rotary-apply-pair-offset", "rotary(T=3,H=2,D=16,rotary_dim=8,inplace=true)", "head-dim-for-rotary-dim", 0,
     true},
    {"faulty/rotary-apply-one-token", "rotary(B=2,T=1,H=2,D=16,offset=5)", "position-ignored", 0, true},
    {"faulty/rotary-apply-table-dtype", "rotary(T=4,H=2,D=16,dtype=bf16,cache_dtype=bf16)", "wrong-dtype-width", 0,
     true},
    {"faulty/rotary-qk-key-heads", "rotary(T=3,H=4,D=16,key_heads=2)", "wrong-head-count", 0, true},
    {"faulty/rotary-qk-key-batch", "rotary(B=3,T=2,H=2,D=16,key_heads=2,key_batch=1)", "unequal-batches"},
    {"faulty/rotary-cache-rounded-positions", "rotary(T=300,rotary_dim=8)", "positions-rounded", 0, true},
};

INSTANTIATE_TEST_SUITE_P(Kernels, SeededCause, testing::ValuesIn(seeded));

}  // namespace
}  // namespace ropewalk::diagnose
