#include "kernels/kernels.h"
#include "lib/base/stopwatch.h"
#include "lib/init/check_plan.h"
#include "lib/init/read_plan.h"
#include "tools/commands/examine.h"
#include "tools/run/run.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {

reports::Report examine(const InitOptions& options, const Request& request) {
  const Stopwatch watch;
  init::Plan plan = init::read_plan_file(options.file, options.ranks);
  plan.path = source_paths_of(request.shared).of_file(options.file);
  return report_of(init::check_plan(plan, kernels::shipped_kernels()), "machine", {"init-order"}, request, watch);
}

}  // namespace ropewalk::tools
