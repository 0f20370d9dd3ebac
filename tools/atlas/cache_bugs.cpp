#include <fmt/format.h>

#include "lib/rope/atlas/cache_bug.h"
#include "lib/rope/check_caches.h"
#include "tools/atlas/bug.h"

namespace ropewalk::tools {
namespace {

CaseResult judged(const rope::CacheBug& bug, bool healthy, const std::string& name) {
  const Stopwatch watch;
  return result_of(check_dumps(dumps_of(bug, healthy), config_of(bug), 1), "formula", name, "", watch);
}

}  // namespace

std::vector<AtlasBug> cache_bugs(const Request&) {
  std::vector<AtlasBug> bugs;
  for (const rope::CacheBug& bug : rope::all_cache_bugs()) {
    const std::string name = fmt::format("caches of row {}", bug.row), counterpart = "healthy " + name;
    bugs.push_back({bug.row,
                    bug.title,
                    bug.related,
                    name,
                    {bug.rule, bug.tensor, 0, bug.cause},
                    "",
                    name,
                    counterpart,
                    [&bug, name] { return judged(bug, false, name); },
                    [&bug, counterpart] { return judged(bug, true, counterpart); }});
  }
  return bugs;
}

}  // namespace ropewalk::tools
