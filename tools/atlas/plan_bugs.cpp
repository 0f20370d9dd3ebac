#include "lib/init/plan_bugs.h"

#include "kernels/kernels.h"
#include "lib/base/stopwatch.h"
#include "lib/init/check_plan.h"
#include "tools/atlas/bug.h"
#include "tools/parse/parse.h"

namespace ropewalk {
namespace {

CaseResult run(const init::Plan& plan) {
  const Stopwatch watch;
  init::PlanAnswer answer = init::check_plan(plan, shipped_kernels());
  CaseResult result;
  result.checks.made = {"init-order"};
  result.run = true;
  if (answer.cut) result.not_run = "the search was cut before every order was explored";
  result.findings = std::move(answer.findings);
  for (Finding& finding : result.findings) {
    finding.case_text = plan.path;
    finding.replay = quoted_line("rope-check", {"init", plan.path});
  }
  result.seconds = watch.seconds();
  return result;
}

u64 line_of(const init::Plan& plan, const std::string& event) {
  for (const init::Event& one : plan.events) {
    if (one.name == event) return one.line;
  }
  return 0;
}

}  // namespace

std::vector<AtlasBug> plan_bugs(const Request&) {
  std::vector<AtlasBug> bugs;
  for (const init::PlanBug& bug : init::plan_bugs()) {
    const init::Plan broken = init::shipped_plan(bug.broken);
    bugs.push_back({bug.row,
                    bug.title,
                    broken.related,
                    broken.path,
                    {Rule::InitOrder, "", line_of(broken, bug.culprit), bug.cause},
                    broken.path,
                    bug.broken,
                    bug.repaired,
                    [broken] { return run(broken); },
                    [name = bug.repaired]() -> std::optional<CaseResult> { return run(init::shipped_plan(name)); }});
  }
  return bugs;
}

}  // namespace ropewalk
