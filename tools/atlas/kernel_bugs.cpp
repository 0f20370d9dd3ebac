#include <fmt/format.h>

#include "kernels/kernels.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/campaign.h"
#include "lib/campaign/examine.h"
#include "lib/generate/space.h"
#include "tools/atlas/bug.h"
#include "tools/commands/planned_cases.h"
#include "tools/run/executor.h"

namespace ropewalk::tools {
namespace {

// One examiner for all kernels, made when the first is run.
class KernelRunner {
 public:
  explicit KernelRunner(const Request& request)
      : request_(request), unavailable_(why_unavailable(request.shared.executor)) {}

  // Runs one kernel on a problem, and looks at its preconditions as a campaign does.
  CaseResult run(const Kernel& kernel, const Problem& problem) {
    if (!unavailable_.empty()) return {false, unavailable_};
    const Stopwatch watch;
    const generate::ProblemSpace space = kernel.family->space(kernel);
    campaign::Examined examined =
        examiner().examine({kernel, space.flaws, problem}, {.other_order = false, .relations = false});
    const SharedOptions& shared = request_.shared;
    const std::string replay = replay_line(shared, words_of_case(*shared.program, kernel.name, text_of(problem)));
    CaseResult result{true, examined.not_run, std::move(examined.findings), examined.statistics};
    result.checks = checks_made(request_.shared);
    for (Finding& finding : result.findings) {
      finding.case_text = text_of(problem);
      // What preconditions let pass shows in the atlas alone.
      finding.replay = finding.rule == Rule::BadArgumentAccepted ? "" : replay;
    }
    result.seconds = watch.seconds();
    return result;
  }

 private:
  campaign::Examiner& examiner() {
    if (examiner_) return *examiner_;
    RunOptions options = run_options_of(request_.shared, 1);
    // The launches are known to end: how busy the machine is must not show.
    if (!request_.shared.budget.seconds) options.seconds = campaign::most_seconds;
    return examiner_.emplace(make_executor(request_.shared), options);
  }

  const Request& request_;
  const std::string unavailable_;  // why kernels cannot be run; empty: they can
  std::optional<campaign::Examiner> examiner_;
};

Problem problem_of(const kernels::AtlasEntry& entry, const SharedOptions& shared) {
  if (!shared.seed) return families::parse_problem(entry.problem);
  // A problem with a seed of its own keeps it: what is drawn from it belongs to the bug.
  if (entry.problem.find("seed=") != std::string::npos) return families::parse_problem(entry.problem);
  return families::parse_problem(
      fmt::format("{},seed={})", entry.problem.substr(0, entry.problem.size() - 1), *shared.seed));
}

}  // namespace

std::vector<AtlasBug> kernel_bugs(const Request& request) {
  const auto runner = std::make_shared<KernelRunner>(request);
  std::vector<AtlasBug> bugs;
  for (const kernels::AtlasEntry& entry : kernels::all_atlas_entries()) {
    const Kernel& kernel = kernels::kernel_named(entry.kernel);
    if (!request.shared.program->is_about(kernel.family->name)) continue;
    const Kernel& counterpart = kernels::kernel_named(kernel.counterpart);
    const Problem problem = problem_of(entry, request.shared);
    bugs.push_back({entry.row, entry.title, entry.related, entry.problem, entry.found, kernel.source, kernel.name,
                    counterpart.name, [runner, &kernel, problem] { return runner->run(kernel, problem); },
                    [runner, &counterpart, problem]() -> std::optional<CaseResult> {
                      if (!counterpart.reject(problem).empty()) return std::nullopt;
                      return runner->run(counterpart, problem);
                    }});
  }
  return bugs;
}

}  // namespace ropewalk::tools
