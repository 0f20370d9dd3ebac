#include "lib/init/plan_bugs.h"

#include "kernels/kernels.h"
#include "lib/init/check_plan.h"
#include "tools/atlas/bug.h"
#include "tools/parse/parse.h"

namespace ropewalk::tools {
namespace {

CaseResult run(const init::Plan& plan) {
  const Stopwatch watch;
  init::PlanAnswer answer = init::check_plan(plan, kernels::shipped_kernels());
  if (!answer.cut) answer.not_judged.clear();  // a plan may have a buffer that no forward uses
  return result_of(std::move(answer), "init-order", plan.path, "", watch);
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

}  // namespace ropewalk::tools
