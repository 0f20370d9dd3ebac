#include "tools/commands/report_of.h"

#include "tools/commands/cache.h"
#include "tools/commands/compat.h"
#include "tools/commands/init.h"
#include "tools/commands/merge.h"
#include "tools/commands/plan.h"
#include "tools/fuzz/fuzz.h"
#include "tools/replay/replay.h"
#include "tools/run/run.h"

namespace ropewalk {

Report report_of(const Request& request) {
  if (const auto* options = std::get_if<FuzzOptions>(&request.command)) return fuzz(*options, request);
  if (const auto* options = std::get_if<ReplayOptions>(&request.command)) return replay(*options, request);
  if (const auto* options = std::get_if<CacheOptions>(&request.command)) return check_caches(*options, request);
  if (const auto* options = std::get_if<CompatOptions>(&request.command)) return check_compatibility(*options, request);
  if (const auto* options = std::get_if<InitOptions>(&request.command)) return explore_plan(*options, request);
  if (const auto* options = std::get_if<MergeOptions>(&request.command)) return merge_reports(*options, request);
  return run(plan_of(request), request);
}

}  // namespace ropewalk
