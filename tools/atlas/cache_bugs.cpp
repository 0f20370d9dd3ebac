#include <fmt/format.h>

#include "lib/rope/atlas/cache_bug.h"
#include "lib/rope/check_caches.h"
#include "tools/atlas/bug.h"

namespace ropewalk {
namespace {

CaseResult judged(const CacheBug& bug, bool healthy, const std::string& name, const Request& request) {
  const Stopwatch watch;
  return result_of(check_dumps(dumps_of(bug, healthy), config_of(bug), 1), "formula", name, request.command_line,
                   watch);
}

}  // namespace

std::vector<AtlasBug> cache_bugs(const Request& request) {
  std::vector<AtlasBug> bugs;
  for (const CacheBug& bug : all_cache_bugs()) {
    const std::string name = fmt::format("caches of row {}", bug.row), counterpart = "healthy " + name;
    bugs.push_back({bug.row,
                    bug.title,
                    bug.related,
                    name,
                    {bug.rule, bug.tensor, 0, bug.cause},
                    "",
                    name,
                    counterpart,
                    [&bug, name, &request] { return judged(bug, false, name, request); },
                    [&bug, counterpart, &request] { return judged(bug, true, counterpart, request); }});
  }
  return bugs;
}

}  // namespace ropewalk
