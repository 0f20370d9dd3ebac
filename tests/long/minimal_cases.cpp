// The smallest case of every finding of every faulty kernel is smallest: no number in it can be lowered by one, no
// entry of a list dropped and no flag cleared without the finding's going away. Findings of one id that differ in their
// causes are two: the smallest case of each shows its cause.
//
//   minimal_cases CASES [FAMILY...]      a campaign of so many cases on each kernel (all faulty ones)
//
// Prints a line for each kernel. Exit code 1 where a smallest case does not show its finding, or a smaller one does.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kernels/kernels.h"
#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/campaign/campaign.h"
#include "lib/campaign/subject.h"
#include "lib/families/families.h"
#include "lib/machine/machine.h"
#include "lib/shrink/shrink.h"

namespace {

using namespace ropewalk;

RunOptions one_thread() {
  RunOptions options;
  options.threads = 1;
  options.budget = campaign::most_instructions;
  options.seconds = campaign::most_seconds;
  return options;
}

campaign::Result campaign_on(const Kernel& kernel, u64 cases) {
  campaign::Options options;
  options.kernels = {&kernel};
  options.cases = cases;
  options.jobs = threads_for(0);
  options.run = one_thread();
  options.make_executor = machine::make_machine;
  options.replay = [](const Kernel&, const Problem&, u64, bool) { return std::string(); };
  return campaign::run(options);
}

// Looks at a problem as closely as it takes to see the finding.
class Looker {
 public:
  Looker(const Kernel& kernel, const Finding& finding, bool by_cause, u64 blocks)
      : family_(kernel),
        finding_(finding),
        by_cause_(by_cause),
        blocks_(blocks),
        examiner_(machine::make_machine(), one_thread()) {
    const bool needs_all = finding.rule == Rule::NondeterministicOutput || finding.rule == Rule::BadArgumentAccepted ||
                           finding.rule == Rule::GoodArgumentRejected;
    const bool compared = finding.rule == Rule::OutputMismatch;
    if (!needs_all) depth_ = {.other_order = false, .relations = false, .reference = compared, .causes = by_cause};
    if (!needs_all && !shows(families::parse_problem(finding.minimal_case))) depth_ = {.causes = by_cause};
  }

  bool shows(const Problem& problem) {
    const campaign::Examined examined =
        examiner_.examine({family_, subject_.plan().space().flaws, problem, blocks_}, depth_);
    return std::any_of(examined.findings.begin(), examined.findings.end(), [&](const Finding& one) {
      return one.id == finding_.id && (!by_cause_ || cause_of(one) == cause_of(finding_));
    });
  }

 private:
  static std::string cause_of(const Finding& finding) { return finding.cause ? finding.cause->id : ""; }

  const Kernel& family_;
  const Finding& finding_;
  const bool by_cause_;
  u64 blocks_;
  campaign::Subject subject_{family_, 1};
  campaign::Depth depth_{.causes = by_cause_};
  campaign::Examiner examiner_;
};

// How many of the kernel's findings have a case that is not smallest.
u64 check(const Kernel& kernel, u64 cases) {
  const campaign::Result result = campaign_on(kernel, cases);
  u64 wrong = 0, tried = 0;
  for (u64 n = 0; n < result.findings.size(); ++n) {
    const Finding& finding = result.findings[n];
    const auto same_id = std::count_if(result.findings.begin(), result.findings.end(),
                                       [&](const Finding& one) { return one.id == finding.id; });
    Looker looker(kernel, finding, finding.cause || same_id > 1, result.kept[n].blocks);
    const Problem minimal = families::parse_problem(finding.minimal_case);
    if (!looker.shows(minimal)) {
      fmt::print("{}: {} does not show {}\n", kernel.name, finding.minimal_case, finding.message);
      ++wrong;
      continue;
    }
    for (const Problem& smaller : kernel.family->smaller(minimal)) {
      ++tried;
      if (!looker.shows(smaller)) continue;
      fmt::print("{}: {} can be {}: {}\n", kernel.name, finding.minimal_case, text_of(smaller), finding.message);
      ++wrong;
      break;
    }
  }
  fmt::print("{:<40} {} findings, {} smaller cases tried, {} not smallest\n", kernel.name, result.findings.size(),
             tried, wrong);
  std::fflush(stdout);
  return wrong;
}

}  // namespace

int main(int count, char** words) {
  try {
    const u64 cases = count > 1 ? std::strtoull(words[1], nullptr, 10) : 0;
    if (cases == 0) throw InputError("usage: minimal_cases CASES [FAMILY...]");
    std::vector<const Kernel*> kernels;
    for (int n = 2; n < count; ++n) kernels.push_back(&kernels::kernel_named(words[n]));
    if (kernels.empty()) {
      for (const Kernel& kernel : kernels::all_kernels()) {
        if (!kernel.is_correct()) kernels.push_back(&kernel);
      }
    }
    u64 wrong = 0;
    for (const Kernel* kernel : kernels) wrong += check(*kernel, cases);
    return wrong != 0;
  } catch (const InputError& error) {
    fmt::print(stderr, "minimal_cases: {}\n", error.what());
    return 2;
  }
}
