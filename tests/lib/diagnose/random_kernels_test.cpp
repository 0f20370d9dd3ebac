// Seeded problems for our faulty kernels: nearly every finding has the seeded cause where the problem is known (one
// head too many is evidence for too much), and none has another one, known or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/base/random.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/machine/machine.h"

namespace ropewalk::diagnose {
namespace {

struct Fault {
  const char* kernel;
  const char* cause;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.kernel; }

// Shapes that the kernels' tiles divide, and others; what the fault needs to show.
std::string random_problem(Random random, const std::string& cause, bool keys) {
  const i64 tokens = random.between(1, 17), columns = 8 * random.between(1, 16);
  std::string text =
      fmt::format("rotary(B={},T={},H={},D={}", random.between(1, 3), tokens, random.between(1, 8), columns);
  if (random.below(2)) text += ",layout=interleaved";
  if (random.below(4) == 0) text += fmt::format(",rotary_dim={}", columns / 2);
  if (cause == "missing-row-mask") text += fmt::format(",cache_rows={}", tokens + i64(random.below(9)));
  if (cause == "wrong-stride") text += fmt::format(",row_gap={}", 8 * random.between(1, 3));
  if (cause == "wrong-stride" && random.below(2)) text += ",token_gap=16";
  if (cause == "rows-skipped") text += fmt::format(",offset={}", -random.between(1, 5));
  if (keys) text += fmt::format(",key_heads={}", random.between(1, 3));
  return text + ")";
}

class RandomFault : public testing::TestWithParam<Fault> {};

TEST_P(RandomFault, has_its_cause_and_no_other) {
  const auto& [name, cause] = GetParam();
  const Kernel& kernel = kernels::kernel_named(name);
  const bool keys = kernel.name.find("qk") != std::string::npos;
  int findings = 0, claimed = 0;
  for (u64 seed = 0; seed < 40; ++seed) {
    const std::string text = random_problem(Random(seed), cause, keys);
    const Problem problem = families::parse_problem(text);
    if (!kernel.reject(problem).empty()) continue;
    Launch launch = kernel.launch(problem);
    compare::expect_answer(kernel, problem, launch);
    Outcome outcome = machine::make_machine()->run(launch, {});
    compare::judge_outputs(launch, outcome);
    std::vector<Finding> known = outcome.findings, bare = known;
    diagnose(known, launch, &families::family_of(problem), &problem, outcome.tensors);
    diagnose(bare, launch);
    for (size_t n = 0; n < known.size(); ++n, ++findings) {
      claimed += known[n].cause.has_value();
      for (const Finding& finding : {known[n], bare[n]}) {
        if (!finding.cause) continue;
        ASSERT_EQ(finding.cause->id, cause) << text << ": " << finding.message;
      }
    }
  }
  EXPECT_GT(findings, 20);
  EXPECT_GE(claimed * 10, findings * 8) << claimed << " of " << findings;
}

INSTANTIATE_TEST_SUITE_P(Kernels, RandomFault,
                         testing::Values(Fault{"faulty/rotary-apply-row-mask", "missing-row-mask"},
                                         Fault{"faulty/rotary-apply-head-mask", "missing-row-mask"},
                                         Fault{"faulty/rotary-apply-column-mask", "missing-column-mask"},
                                         Fault{"faulty/rotary-apply-one-stride", "wrong-stride"},
                                         Fault{"faulty/rotary-qk-one-stride", "wrong-stride"},
                                         Fault{"faulty/rotary-apply-rows-skipped", "rows-skipped"},
                                         Fault{"faulty/rotary-apply-table-mask", "missing-column-mask"},
                                         Fault{"faulty/rotary-apply-wide-read", "missing-column-mask"},
                                         Fault{"faulty/rotary-apply-swapped-layout", "layout-mixup"},
                                         Fault{"faulty/rotary-qk-key-heads", "wrong-head-count"}));

}  // namespace
}  // namespace ropewalk::diagnose
