// Our kernels' PTX on the checked machine: healthy ones are right and silent, faulty ones are found, and their healthy
// counterparts are silent about the same problem or reject it.
#include "lib/machine/machine.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/atlas.h"
#include "kernels/kernels.h"
#include "lib/base/bits.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/families/families.h"
#include "lib/problem/rotary.h"
#include "tests/kernels/host_kernels.h"
#include "tests/kernels/rotary_problems.h"

namespace ropewalk::kernels {
namespace {

Outcome run(const Kernel& kernel, const Problem& problem, const RunOptions& options = {}) {
  Launch launch = kernel.launch(problem);
  compare::expect_answer(kernel, problem, launch);
  Outcome outcome = machine::make_machine()->run(launch, options);
  compare::judge_outputs(launch, outcome);
  return outcome;
}

std::string report_of(const Outcome& outcome) {
  std::string text = outcome.reason;
  for (const Finding& finding : outcome.findings) {
    text += std::string(name_of(finding.rule)) + ": " + finding.message + "\n";
  }
  return text;
}

// A problem that the kernel takes.
RotaryProblem problem_for(const std::string& kernel, u64 seed) {
  RotaryProblem problem =
      good_rotary_problem(Random(seed), kernel.starts_with("rotary/apply") ? "rotary/apply" : kernel);
  if (kernel != "rotary/apply-steps") return problem;
  problem.rounding = RotaryRounding::Steps;
  if (problem.dtype == Dtype::F16) problem.dtype = Dtype::BF16;
  problem.cache_dtype = Dtype::F32;
  return problem;
}

class HealthyOnMachine : public testing::TestWithParam<const char*> {};

TEST_P(HealthyOnMachine, is_right_and_silent) {
  const Kernel& kernel = kernel_named(GetParam());
  for (u64 seed = 0; seed < 150; ++seed) {
    const RotaryProblem problem = problem_for(kernel.name, seed);
    const Outcome outcome = run(kernel, problem);
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << text_of(problem) << "\n" << report_of(outcome);
    ASSERT_TRUE(outcome.findings.empty()) << text_of(problem) << "\n" << report_of(outcome);
  }
}

// Bounds allow products to be fused with sums and to be kept apart.
TEST_P(HealthyOnMachine, is_right_with_fused_products) {
  const Kernel& kernel = kernel_named(GetParam());
  RunOptions options;
  options.fp_contract = true;
  for (u64 seed = 0; seed < 50; ++seed) {
    const RotaryProblem problem = problem_for(kernel.name, seed);
    const Outcome outcome = run(kernel, problem, options);
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << text_of(problem) << "\n" << report_of(outcome);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HealthyOnMachine,
                         testing::Values("rotary/apply", "rotary/apply-general", "rotary/apply-steps", "rotary/qk",
                                         "rotary/cache"));

// The kernels as nvcc compiled them and the machine runs them, and as the host compiler did: the same bits.
TEST(OnMachine, gives_the_bits_that_the_host_gives) {
  for (const char* name : {"rotary/apply", "rotary/apply-general", "rotary/qk"}) {
    for (u64 seed = 1000; seed < 1100; ++seed) {
      const RotaryProblem problem = problem_for(name, seed);
      const Launch launch = kernel_named(name).launch(problem);
      const Outcome outcome = machine::make_machine()->run(launch, {});
      ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << text_of(problem) << "\n" << report_of(outcome);
      const auto host = run_on_host(launch);
      for (u64 n = 0; n < launch.tensors.size(); ++n) {
        const LaunchTensor& tensor = launch.tensors[n];
        const u64 size = size_of(tensor.dtype);
        for (i64 element = 0; tensor.output && element < element_count(tensor.shape); ++element) {
          const u64 at = u64(offset_of(tensor.strides, index_of(tensor.shape, element))) * size;
          if (!all_bits(outcome.tensors[n].written, at, at + size)) continue;
          ASSERT_EQ(std::memcmp(outcome.tensors[n].bytes + at, host[n].data() + at, size), 0)
              << name << " " << text_of(problem) << ": " << tensor.name << text_of(index_of(tensor.shape, element));
        }
      }
    }
  }
}

// A problem that shows the fault of a kernel, and a finding that must be there.
struct Triple {
  const char* kernel;
  const char* problem;
  Rule rule;
  const char* tensor = "";
};

void PrintTo(const Triple& triple, std::ostream* out) { *out << triple.kernel << " on " << triple.problem; }

class FaultyOnMachine : public testing::TestWithParam<Triple> {};

TEST_P(FaultyOnMachine, is_found_and_its_counterpart_is_not) {
  const Triple& triple = GetParam();
  const Kernel& kernel = kernel_named(triple.kernel);
  const Problem problem = families::parse_problem(triple.problem);
  const Outcome outcome = run(kernel, problem);
  bool found = false;
  for (const Finding& finding : outcome.findings) {
    const bool about_it = finding.rule == triple.rule && (!*triple.tensor || finding.access->tensor == triple.tensor);
    if (!about_it) continue;
    found = true;
    if (triple.rule == Rule::LaunchLimit) continue;  // about the launch, not about a line
    ASSERT_TRUE(finding.location);
    // The kernel's own file, or one of its helpers that it calls.
    std::vector<SourcePosition> positions = finding.location->inlined;
    positions.push_back({finding.location->file, finding.location->line, 0, ""});
    EXPECT_TRUE(std::any_of(positions.begin(), positions.end(), [&](const SourcePosition& position) {
      return position.file == kernel.source && position.line > 0;
    })) << finding.location->file;
  }
  EXPECT_TRUE(found) << report_of(outcome);

  const Kernel& counterpart = kernel_named(kernel.counterpart);
  if (!counterpart.reject(problem).empty()) return;
  const Outcome healthy = run(counterpart, problem);
  EXPECT_EQ(healthy.kind, OutcomeKind::Agreed) << report_of(healthy);
  EXPECT_TRUE(healthy.findings.empty()) << report_of(healthy);
}

constexpr Triple triples[] = {
    {"faulty/rotary-apply-unguarded", "rotary(B=2,T=128,H=8,D=64,rotary_dim=512)", Rule::OutOfBoundsRead, "x"},
    {"faulty/rotary-apply-unguarded", "rotary(B=2,T=128,H=8,D=64,rotary_dim=512)", Rule::OutOfBoundsWrite, "out"},
    {"faulty/rotary-apply-unguarded", "rotary(B=2,T=8,H=8,D=64,rotary_dim=66)", Rule::IndexOutOfField},
    {"faulty/rotary-apply-unguarded", "rotary(T=3,H=1,D=33,rotary_dim=33)", Rule::OutOfBoundsWrite, "out"},
    {"faulty/rotary-apply-unguarded", "rotary(T=8,offset=5,cache_rows=12)", Rule::OutOfBoundsRead, "cos"},
    {"faulty/rotary-apply-unguarded", "rotary(T=8,offset=-3)", Rule::OutOfBoundsRead, "sin"},
    {"faulty/rotary-apply-unguarded", "rotary(T=9,cu_seqlens=[0,5,18])", Rule::OutOfBoundsRead, "x"},
    {"faulty/rotary-apply-row-mask", "rotary(B=2,T=5,H=2,D=8,cache_rows=16)", Rule::OutOfBoundsWrite, "out"},
    {"faulty/rotary-apply-row-mask", "rotary(B=2,T=5,H=2,D=8,cache_rows=16)", Rule::IndexOutOfField},
    {"faulty/rotary-apply-column-mask", "rotary(T=3,H=2,D=48,dtype=bf16)", Rule::OutOfBoundsRead, "cos"},
    {"faulty/rotary-apply-column-mask", "rotary(T=3,H=2,D=48,dtype=bf16)", Rule::OutOfBoundsWrite, "out"},
    {"faulty/rotary-apply-head-mask", "rotary(T=3,H=6,D=16)", Rule::OutOfBoundsRead, "x"},
    {"faulty/rotary-apply-head-mask", "rotary(T=3,H=6,D=16)", Rule::IndexOutOfField},
    {"faulty/rotary-apply-grid-z", "rotary(B=65536,T=1,H=1,D=2)", Rule::LaunchLimit},
    {"faulty/rotary-apply-int32", "rotary(B=1100,T=2,H=1,D=64,token_gap=1000000)", Rule::IndexOverflow, "x"},
    {"faulty/rotary-apply-one-stride", "rotary(T=4,H=2,D=16,row_gap=8)", Rule::OutOfBoundsWrite, "out"},
    {"faulty/rotary-apply-swapped-layout", "rotary(T=4,H=2,D=16)", Rule::OutputMismatch, "out"},
    {"faulty/rotary-apply-swapped-layout", "rotary(T=4,H=2,D=16,layout=interleaved)", Rule::OutputMismatch, "out"},
    {"faulty/rotary-apply-pair-offset", "rotary(T=4,H=2,D=64,rotary_dim=32)", Rule::OutputMismatch, "out"},
    {"faulty/rotary-apply-rows-skipped", "rotary(B=2,T=4,H=2,D=16,offset=-2)", Rule::OutputNotWritten, "out"},
    {"faulty/rotary-qk-unguarded", "rotary(T=3,H=2,D=16,key_heads=1,cache_rows=8,positions=[0,99,1])",
     Rule::OutOfBoundsRead, "cos"},
    {"faulty/rotary-qk-one-stride", "rotary(T=3,H=4,D=16,key_heads=2,row_gap=8)", Rule::OutOfBoundsWrite, "k"},
    {"faulty/rotary-cache-unguarded", "rotary(T=5,rotary_dim=7)", Rule::OutOfBoundsWrite, "cos"},
    {"faulty/rotary-cache-rounded-positions", "rotary(T=600,D=16)", Rule::OutputMismatch, "cos"},
};

INSTANTIATE_TEST_SUITE_P(Kernels, FaultyOnMachine, testing::ValuesIn(triples));

// What preconditions let pass wrongly is no matter of the machine's.
bool is_of_preconditions(const AtlasEntry& entry) { return entry.found.rule == Rule::BadArgumentAccepted; }

std::vector<Triple> triples_of_the_atlas() {
  std::vector<Triple> all;
  for (const AtlasEntry& entry : all_atlas_entries()) {
    if (is_of_preconditions(entry)) continue;
    all.push_back({entry.kernel.c_str(), entry.problem.c_str(), entry.found.rule, entry.found.tensor.c_str()});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Atlas, FaultyOnMachine, testing::ValuesIn(triples_of_the_atlas()));

TEST(OnMachine, every_faulty_family_has_a_triple) {
  for (const Kernel& kernel : all_kernels()) {
    bool listed = std::any_of(std::begin(triples), std::end(triples),
                              [&](const Triple& triple) { return triple.kernel == kernel.name; });
    for (const AtlasEntry& entry : all_atlas_entries()) listed |= entry.kernel == kernel.name;
    EXPECT_EQ(listed, !kernel.is_correct()) << kernel.name;
  }
}

}  // namespace
}  // namespace ropewalk::kernels
